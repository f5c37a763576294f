// The chosen place: what is remembered of it, the way there, its name, and how it is forgotten.

import { ago } from './map.js';

const $ = (id) => document.getElementById(id);
// Stands for the remembered place that is nearest to the robot.
const HERE = 'here';

export class PlaceCard {
  constructor(ask, say, changed) {
    this.ask = ask;
    this.say = say;
    this.changed = changed;
    this.id = '';
    this.told = null;
    $('name-here').addEventListener('click', () => this.choose(HERE));
    $('place-close').addEventListener('click', () => this.choose(''));
    $('place-go').addEventListener('click', () => this.wish('go'));
    $('name-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.wish('name', $('place-name').value.trim());
    });
    $('place-forget').addEventListener('click', () => this.sure(true));
    $('place-keep').addEventListener('click', () => this.sure(false));
    $('place-forget-sure').addEventListener('click', () => {
      this.sure(false);
      this.wish('forget');
    });
  }

  wish(deed, words = '') {
    this.say(`${deed} …`);
    this.ask({ do: deed, place: this.id, words });
  }

  choose(id, words = '') {
    this.id = id;
    this.tell(null, id === HERE ? 'the one that is nearest to the robot' : words);
    if (id && id !== HERE) this.ask({ do: 'describe', place: id });
  }

  // What the memory said of a place, or that it said nothing.
  take(message) {
    if (message.deed !== 'describe' || !message.taken) {
      this.say(message.taken ? message.words : `no: ${message.words}`);
    }
    if (message.asked !== this.id || !message.taken) return;
    if (message.deed === 'forget') this.choose('');
    else {
      this.id = message.place.id;
      this.tell(message.place, `${message.place.summary || message.place.kind}; visits: `
        + `${message.place.visits}, seen ${ago(message.place.seen_ago_s)}`);
    }
  }

  tell(place, words) {
    this.told = place;
    const here = this.id === HERE;
    $('place-title').textContent = here ? 'the place here'
      : place ? place.name || place.kind || 'a place' : 'a place';
    $('place-words').textContent = words;
    $('place-name').value = place ? place.name : '';
    $('place-go').hidden = $('place-forget').hidden = here;
    this.sure(false);
    $('place').hidden = !this.id;
    if (here) $('place-name').focus();
    this.changed(this.id);
  }

  sure(asks) {
    $('place-sure').hidden = !asks;
    $('name-form').hidden = asks;
    if (asks) $('place-keep').focus();
  }

  permit(permitted) {
    $('place-go').disabled = !permitted.has('go');
    for (const name of ['place-name', 'place-name-go', 'name-here']) {
      $(name).disabled = !permitted.has('name');
    }
    for (const name of ['place-forget', 'place-forget-sure']) {
      $(name).disabled = !permitted.has('forget');
    }
  }
}
