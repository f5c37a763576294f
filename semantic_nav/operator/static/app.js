// The operator page. Whatever a robot, a model or an operator said goes into the page as text.

import { MapView, ago } from './map.js';
import { PlaceCard } from './places.js';
import { pushToTalk } from './speech.js';

const $ = (id) => document.getElementById(id);
const AGAIN_MS = [300, 600, 1200, 2500];
const SILENT_MS = 4000;

const map = new MapView($('map'), $('layers'), $('hover'), $('map-empty'), (place) => {
  if (!view.replay) card.choose(place.id, place.words);
});
const card = new PlaceCard(request, say, (id) => map.choose(id));
let socket = null;
let tries = 0;
let heardAt = 0;
let view = null;
let camera = 'look';
let frame = null;
let look = { key: '', picture: null };
let entries = [];
let sliding = false;
let past = null;
let shownAt = null;
// What would end the mission in hand, and waits for a word about that.
let pending = null;

function connect() {
  socket = new WebSocket(`ws://${location.host}/live`);
  socket.binaryType = 'blob';
  socket.addEventListener('open', () => {
    tries = 0;
    heardAt = performance.now();
    entries = [];
    $('timeline').replaceChildren();
    wantCamera();
    if (past !== null) ask({ do: 'at', at_s: past });
  });
  socket.addEventListener('message', (event) => {
    heardAt = performance.now();
    if (event.data instanceof Blob) showFrame(event.data);
    else take(JSON.parse(event.data));
  });
  socket.addEventListener('close', () => {
    socket = null;
    showLink();
    setTimeout(connect, AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
    tries += 1;
  });
}

function ask(wish) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(wish));
  else say('no connection: nothing was sent');
}

const BEGINNINGS = new Set(['goal', 'go', 'tour']);

// What begins a mission ends the one that is under way: not without a word about it.
function request(wish) {
  const mission = view && view.mission;
  if (!BEGINNINGS.has(wish.do) || !mission || !mission.goal || mission.outcome !== null) {
    ask(wish);
    return;
  }
  pending = { ...wish, ends: mission.id };
  say('');
  $('ends-words').textContent = `This ends “${mission.goal}”, which is under way.`;
  $('ends').hidden = false;
  $('ends-keep').focus();
}

function settle(wish) {
  pending = null;
  $('ends').hidden = true;
  if (wish) ask(wish);
}

function take(message) {
  if (message.kind === 'view') show(message.view);
  else if (message.kind === 'timeline') addEntries(message.entries);
  else if (message.kind === 'said') say(message.taken ? message.words : `no: ${message.words}`);
  else if (message.kind === 'places') showFound(message);
  else if (message.kind === 'place') card.take(message);
}

function say(words) {
  $('said').textContent = words;
}

// The state, and whether what is shown is still true.

function show(news) {
  if (view && view.standing.state !== news.standing.state) say('');
  view = news;
  const { standing } = view;
  $('banner').dataset.state = standing.state;
  $('state').textContent = standing.state;
  $('reason').textContent = standing.reason;
  $('next').textContent = standing.next;
  $('broken').textContent = standing.broken.join('; ');
  $('broken').hidden = !standing.broken.length;
  $('next-label').textContent = view.live ? 'next' : 'next, at that time';
  const permitted = new Set(standing.permitted);
  for (const name of ['pause', 'resume', 'cancel']) $(name).disabled = !permitted.has(name);
  $('goal-form').hidden = view.replay;
  for (const name of ['tour', 'home', 'pause', 'resume', 'cancel']) $(name).hidden = view.replay;
  $('go').disabled = $('goal').disabled = !permitted.has('goal');
  $('tour').disabled = !permitted.has('tour');
  $('home').disabled = !permitted.has('go');
  $('name-here').hidden = view.replay;
  card.permit(permitted);
  $('model-form').hidden = view.replay;
  $('model-go').disabled = $('model-name').disabled = !permitted.has('model');
  if (pending && (!view.mission || view.mission.id !== pending.ends
    || view.mission.outcome !== null)) {
    settle(null);
    say('that mission is over: ask again');
  }
  const asks = permitted.has('answer');
  if (asks && $('answer-form').hidden) $('answer').value = '';
  $('answer-form').hidden = !asks;
  $('question').textContent = asks ? view.mission.question : '';
  showFacts();
  showLook();
  showLists();
  showSlider();
  showLink();
  map.show(view);
}

function showLink() {
  const stale = !socket || socket.readyState !== WebSocket.OPEN
    || (view && view.live && performance.now() - heardAt > SILENT_MS);
  const link = $('link');
  link.dataset.kind = stale ? 'off' : view && (view.past || view.replay) ? 'past' : 'on';
  link.textContent = stale ? 'no connection'
    : view && view.past ? 'the past' : view && view.replay ? 'journal' : 'live';
  for (const pane of document.querySelectorAll('main, #timeline, .lists, .state, .next')) {
    pane.classList.toggle('stale', Boolean(stale && view));
  }
  if (!stale) return;
  $('banner').dataset.state = 'unknown';
  for (const name of ['pause', 'resume', 'cancel', 'go', 'tour', 'home', 'model-go']) {
    $(name).disabled = true;
  }
  card.permit(new Set());
}

function fill(list, pairs) {
  list.replaceChildren(...pairs.flatMap(([name, words]) => {
    const term = document.createElement('dt');
    term.textContent = name;
    const text = document.createElement('dd');
    text.textContent = words;
    return [term, text];
  }));
}

function showFacts() {
  const { mission, robot } = view;
  const pairs = [];
  if (mission && mission.goal) {
    const { budgets } = mission;
    const whole = mission.ended || words(mission.phase);
    pairs.push([mission.purpose === 'tour' ? 'tour' : 'goal', mission.goal],
      ['mission', `${whole}: ${mission.reason || mission.next}`]);
    if (mission.purpose === 'find') {
      pairs.push(['target', words(mission.status) + (mission.p_here === null ? ''
        : `; ${Math.round(mission.p_here * 100)} % likely that it is here`)]);
    }
    pairs.push(
      ['used', `${Math.round(budgets.time_s)} of ${Math.round(budgets.time_limit_s)} s, `
        + `${budgets.distance_m.toFixed(1)} m, ${budgets.model_calls} model calls, `
        + `${budgets.refusals} refusals`]);
    if (mission.rejection && mission.outcome === null) pairs.push(['refused last', mission.rejection]);
  }
  if (robot && robot.stale) pairs.push(['robot', `no pose since ${ago(robot.age_s)}`]);
  fill($('facts'), pairs);
}

function words(name) {
  return String(name).replaceAll('_', ' ');
}

// The picture: what the model looked at last with its boxes, or what the camera sees now.

function showLook() {
  const seen = view.look;
  $('tab-live').hidden = view.replay;
  $('look-age').textContent = seen ? `looked ${ago(seen.age_s)}` : '';
  $('look-words').textContent = seen
    ? `${seen.words}${seen.source === 'model' ? `, sure ${Math.round(seen.confidence * 100)} %` : ''}`
      + `${seen.rationale ? `: ${seen.rationale}` : ''}` : '';
  const key = seen ? seen.picture : '';
  if (key !== look.key) {
    look = { key, picture: null };
    if (key) {
      const picture = new Image();
      picture.addEventListener('load', () => {
        if (look.key !== key) return;
        look.picture = picture;
        drawCamera();
      });
      picture.src = `/looks/${encodeURIComponent(key)}.jpg`;
    }
  }
  drawCamera();
}

async function showFrame(blob) {
  const picture = await createImageBitmap(blob);
  if (frame) frame.close();
  frame = picture;
  if (camera === 'live') drawCamera();
}

function drawCamera() {
  const canvas = $('camera');
  const picture = camera === 'live' ? frame : look.picture;
  $('camera-empty').hidden = Boolean(picture);
  $('camera-empty').textContent = camera === 'live' ? 'no picture comes'
    : view && view.look ? 'the picture of this look is not kept here' : 'no look yet';
  const pen = fitted(canvas);
  if (!picture) return;
  const size = [picture.naturalWidth || picture.width, picture.naturalHeight || picture.height];
  const scale = Math.min(canvas.clientWidth / size[0], canvas.clientHeight / size[1]);
  const area = {
    left: (canvas.clientWidth - size[0] * scale) / 2,
    top: (canvas.clientHeight - size[1] * scale) / 2,
    width: size[0] * scale,
    height: size[1] * scale,
  };
  pen.drawImage(picture, area.left, area.top, area.width, area.height);
  if (camera === 'live') return;
  const boxes = view.look ? view.look.boxes : [];
  for (const one of boxes) if (!one.is_target) drawBox(pen, area, one);
  for (const one of boxes) if (one.is_target) drawBox(pen, area, one);
}

function fitted(canvas) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  return pen;
}

function drawBox(pen, area, one) {
  const [left, top, right, bottom] = one.box.map((value, index) => (index % 2
    ? area.top + value / 1000 * area.height : area.left + value / 1000 * area.width));
  pen.lineWidth = one.is_target ? 2.5 : 1;
  pen.strokeStyle = one.is_target ? '#e53e3e' : '#63b3ed';
  pen.strokeRect(left, top, right - left, bottom - top);
  pen.font = `${one.is_target ? 12 : 10}px system-ui, sans-serif`;
  const wide = pen.measureText(one.name).width + 6;
  const above = Math.max(area.top, top - 15);
  pen.fillStyle = one.is_target ? '#e53e3e' : '#2a436590';
  pen.fillRect(left, above, wide, 15);
  pen.fillStyle = '#ffffff';
  pen.fillText(one.name, left + 3, above + 11);
}

function wantCamera() {
  const on = camera === 'live' && !document.hidden;
  if (socket && socket.readyState === WebSocket.OPEN) ask({ do: 'camera', on });
  if (!on && frame) {
    frame.close();
    frame = null;
  }
}

for (const name of ['look', 'live']) {
  $(`tab-${name}`).addEventListener('click', () => {
    camera = name;
    for (const other of ['look', 'live']) {
      $(`tab-${other}`).setAttribute('aria-selected', String(other === name));
    }
    wantCamera();
    drawCamera();
  });
}
document.addEventListener('visibilitychange', wantCamera);
new ResizeObserver(drawCamera).observe($('camera'));

// Lists.

function item(...parts) {
  const line = document.createElement('li');
  for (const [tag, text] of parts) {
    const part = document.createElement(tag);
    part.textContent = text;
    line.append(part, ' ');
  }
  return line;
}

function showLists() {
  $('refused').replaceChildren(...(view.refused.length ? view.refused.slice().reverse().map(
    (one) => item(['b', `${words(one.action)}: ${one.code}`], ['span', one.reason],
      ['span', `(${ago(one.age_s)})`])) : [item(['span', 'nothing was refused'])]));
  const { model } = view;
  fill($('model-facts'), model ? [
    ['model', model.model || 'not told yet'], ['backend', model.backend || 'not told yet'],
    ['runs on', model.runs_on],
    ['last answer', model.answer ? words(model.answer) : 'none yet'],
    ['took', model.latency_ms === null ? '' : `${(model.latency_ms / 1000).toFixed(1)} s`],
    ['tokens', model.prompt_tokens === null ? ''
      : `${model.prompt_tokens} read, ${model.reply_tokens} written`],
    ['health', model.health || 'not told'],
  ] : [['model', 'nothing was heard of it yet']]);
  showOffered(model ? model.offered : []);
  $('nodes').replaceChildren(...view.nodes.map((one) => {
    const line = item(['b', one.name], ['span', one.silent ? `no sign of life since ${ago(one.age_s)}`
      : one.heard || view.past || view.replay ? 'there' : 'not heard yet']);
    for (const said of one.says) {
      const more = document.createElement('div');
      more.textContent = `${said.subject}: ${said.text}`;
      line.append(more);
    }
    line.classList.toggle('stale', one.silent);
    return line;
  }));
}

// The list stays as it is while it is the same: somebody may be choosing.
function showOffered(names) {
  const list = $('models');
  const same = list.options.length === names.length
    && names.every((name, index) => list.options[index].value === name);
  if (same) return;
  list.replaceChildren(...names.map((name) => {
    const option = document.createElement('option');
    option.value = name;
    return option;
  }));
}

function showFound(message) {
  say('');
  const lines = message.places.map((place) => {
    const line = item(['b', `score ${place.score.toFixed(2)}`], ['span', place.summary || place.id],
      ['div', place.reasons.join('; ')]);
    if (place.picture) {
      const picture = document.createElement('img');
      picture.alt = 'as it was seen from there';
      picture.src = `/looks/${encodeURIComponent(place.picture)}.jpg`;
      line.prepend(picture);
    }
    const choose = document.createElement('button');
    choose.textContent = 'Choose';
    choose.addEventListener('click', () => card.choose(place.id, place.summary));
    line.prepend(choose);
    return line;
  });
  $('found').replaceChildren(...(lines.length ? lines : [item(['span', message.words])]));
}

for (const tab of document.querySelectorAll('.tab')) {
  tab.addEventListener('click', () => {
    for (const other of document.querySelectorAll('.tab')) {
      other.setAttribute('aria-selected', String(other === tab));
      $(other.dataset.tab).hidden = other !== tab;
    }
  });
}

// The timeline and its slider.

function addEntries(news) {
  const list = $('timeline');
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  for (const entry of news) {
    const line = document.createElement('li');
    line.dataset.kind = entry.kind.split(' ')[0];
    const when = document.createElement('time');
    when.textContent = clock(entry.at_s);
    const kind = document.createElement('span');
    kind.className = 'kind';
    kind.textContent = entry.kind;
    const text = document.createElement('span');
    text.textContent = entry.words;
    line.append(when, kind, text);
    line.addEventListener('click', () => goTo(entry.at_s));
    list.append(line);
    entries.push({ at_s: entry.at_s, line });
  }
  if (atEnd) list.scrollTop = list.scrollHeight;
}

function clock(seconds) {
  const whole = Math.floor(seconds);
  const minutes = String(Math.floor(whole / 60)).padStart(2, '0');
  return `${minutes}:${String(whole % 60).padStart(2, '0')}`;
}

function goTo(moment) {
  past = moment;
  ask({ do: 'at', at_s: moment });
}

function showSlider() {
  const slider = $('slider');
  slider.max = view.last_s;
  if (!sliding) slider.value = view.past ? view.now_s : slider.max;
  $('moment').textContent = `${clock(view.now_s)} of ${clock(view.last_s)}`;
  $('now').hidden = !view.past;
  $('now').textContent = view.replay ? 'To the end' : 'Back to now';
  if (view.past && shownAt !== view.now_s) {
    const last = entries.findLast((entry) => entry.at_s <= view.now_s);
    if (last) last.line.scrollIntoView({ block: 'nearest' });
  }
  shownAt = view.past ? view.now_s : null;
  for (const entry of entries) {
    entry.line.classList.toggle('future', Boolean(view.past) && entry.at_s > view.now_s);
  }
}

$('slider').addEventListener('input', () => {
  sliding = true;
  goTo(Number($('slider').value));
});
$('slider').addEventListener('change', () => { sliding = false; });
$('now').addEventListener('click', () => {
  past = null;
  ask({ do: 'at', at_s: null });
});

// What the operator asks for.

function onWords(form, input, deed) {
  $(form).addEventListener('submit', (event) => {
    event.preventDefault();
    const text = $(input).value.trim();
    if (!text) return;
    say('');
    request({ do: deed, words: text });
    $(input).value = deed === 'search' ? text : '';
  });
}

onWords('goal-form', 'goal', 'goal');
onWords('answer-form', 'answer', 'answer');
onWords('search-form', 'search', 'search');
onWords('model-form', 'model-name', 'model');
for (const name of ['pause', 'resume', 'cancel']) {
  $(name).addEventListener('click', () => {
    say(`${name} …`);
    ask({ do: name });
  });
}
$('tour').addEventListener('click', () => {
  say('tour …');
  request({ do: 'tour' });
});
$('home').addEventListener('click', () => {
  say('home …');
  request({ do: 'go', place: 'home' });
});
$('ends-keep').addEventListener('click', () => settle(null));
$('ends-go').addEventListener('click', () => settle(pending));
pushToTalk($('talk'), (text) => { $('goal').value = text; });
setInterval(showLink, 1000);
connect();
