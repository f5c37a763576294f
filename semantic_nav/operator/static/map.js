// The map: a canvas with metres as coordinates. All words are drawn, none is markup.

const LAYERS = {
  heat: 'likely', path: 'way', rooms: 'rooms', places: 'places', things: 'things',
  refused: 'refused',
};
const COLOURS = {
  path: '#2b6cb0', place: '#2f855a', thing: '#5b6470', target: '#c53030', refused: '#b83280',
  robot: '#22262b', goal: '#2f855a', ring: '#ffffff',
};
const NEAR_PX = 12;
// Who moves the pointer by more while it is down moves the map.
const STILL_PX = 4;

export class MapView {
  constructor(canvas, layers, hover, empty, onPlace) {
    this.canvas = canvas;
    this.hover = hover;
    this.onPlace = onPlace;
    this.chosen = '';
    this.downAt = [0, 0];
    this.empty = empty;
    this.view = null;
    this.pictures = { map: null, heat: null };
    this.keys = { map: '', heat: '' };
    this.shown = Object.fromEntries(Object.keys(LAYERS).map((name) => [name, true]));
    this.zoom = 1;
    this.shift = [0, 0];
    this.spots = [];
    for (const [name, words] of Object.entries(LAYERS)) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = words;
      button.setAttribute('aria-pressed', 'true');
      button.addEventListener('click', () => {
        this.shown[name] = !this.shown[name];
        button.setAttribute('aria-pressed', String(this.shown[name]));
        this.draw();
      });
      layers.append(button);
    }
    canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.onDown(event));
    canvas.addEventListener('pointermove', (event) => this.onMove(event));
    canvas.addEventListener('pointerleave', () => { this.hover.hidden = true; });
    canvas.addEventListener('click', (event) => this.onClick(event));
    canvas.addEventListener('dblclick', () => {
      this.zoom = 1;
      this.shift = [0, 0];
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  show(view) {
    this.view = view;
    const at = view.past ? `at=${view.now_s}&` : '';
    this.load('map', view.map ? view.map.key : '', `/map.png?${at}`);
    this.load('heat', view.map ? view.heat : '', `/heat.png?${at}`);
    this.draw();
  }

  // Marks a remembered place, by its id; none for an empty one.
  choose(id) {
    this.chosen = id;
    this.draw();
  }

  load(name, key, address) {
    if (key === this.keys[name]) return;
    this.keys[name] = key;
    if (!key) {
      this.pictures[name] = null;
      return;
    }
    const picture = new Image();
    picture.addEventListener('load', () => {
      if (this.keys[name] !== key) return;
      this.pictures[name] = picture;
      this.draw();
    });
    picture.src = `${address}k=${encodeURIComponent(key)}`;
  }

  // Metres to pixels of the canvas.
  at(x, y) {
    const [scale, left, top] = this.fit;
    return [left + x * scale, top - y * scale];
  }

  fitted(width, height) {
    const bounds = this.bounds();
    const scale = this.zoom * Math.min(
      width / (bounds.right - bounds.left), height / (bounds.top - bounds.bottom));
    const middle = [(bounds.left + bounds.right) / 2, (bounds.bottom + bounds.top) / 2];
    return [scale, width / 2 - middle[0] * scale + this.shift[0],
      height / 2 + middle[1] * scale + this.shift[1]];
  }

  bounds() {
    const { map, robot, path } = this.view;
    if (map) {
      const [left, bottom, right, top] = map.known;
      return { left: left - 0.5, bottom: bottom - 0.5, right: right + 0.5, top: top + 0.5 };
    }
    const points = [...path, robot ? [robot.x, robot.y] : [0, 0]];
    const xs = points.map((one) => one[0]);
    const ys = points.map((one) => one[1]);
    return {
      left: Math.min(...xs) - 2, right: Math.max(...xs) + 2,
      bottom: Math.min(...ys) - 2, top: Math.max(...ys) + 2,
    };
  }

  draw() {
    const { canvas, view } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    this.spots = [];
    this.empty.hidden = Boolean(view && (view.map || view.robot));
    if (!view || !width || !(view.map || view.robot)) return;
    this.fit = this.fitted(width, height);
    pen.imageSmoothingEnabled = false;
    this.drawPicture(pen, this.pictures.map);
    if (this.shown.heat) {
      pen.imageSmoothingEnabled = true;
      this.drawPicture(pen, this.pictures.heat);
    }
    if (this.shown.path) this.drawPath(pen);
    if (this.shown.places) this.drawPlaces(pen);
    if (this.shown.things) this.drawThings(pen);
    if (this.shown.rooms) this.drawRooms(pen);
    if (this.shown.refused) this.drawRefused(pen);
    this.drawTarget(pen);
    this.drawRobot(pen);
    this.drawScale(pen, height);
  }

  drawPicture(pen, picture) {
    const { map } = this.view;
    if (!picture || !map) return;
    const [left, top] = this.at(
      map.origin_x_m, map.origin_y_m + map.height * map.resolution_m);
    pen.drawImage(picture, left, top, map.width * map.resolution_m * this.fit[0],
      map.height * map.resolution_m * this.fit[0]);
  }

  drawPath(pen) {
    pen.lineWidth = 3;
    pen.lineJoin = 'round';
    pen.strokeStyle = COLOURS.path;
    pen.globalAlpha = 0.75;
    pen.beginPath();
    for (const [x, y] of this.view.path) pen.lineTo(...this.at(x, y));
    pen.stroke();
    pen.globalAlpha = 1;
  }

  drawPlaces(pen) {
    const worth = new Map(this.view.candidates.map((one) => [`${one.x},${one.y}`, one]));
    for (const place of this.view.places) {
      const candidate = worth.get(`${place.x},${place.y}`);
      this.dot(pen, place.x, place.y, candidate ? 7 : 5, COLOURS.place);
      if (place.name) {
        const [u, v] = this.at(place.x, place.y);
        this.words(pen, u, v - 17, place.name, 12, COLOURS.place);
      }
      if (place.id && place.id === this.chosen) {
        pen.strokeStyle = COLOURS.robot;
        pen.lineWidth = 2;
        this.circle(pen, place.x, place.y, 11);
        pen.stroke();
      }
      this.spot(place.x, place.y, candidate
        ? `${place.words}\nfits the goal: ${candidate.score.toFixed(2)}` : place.words, place);
    }
    for (const one of this.view.candidates) {
      pen.strokeStyle = COLOURS.place;
      pen.lineWidth = 2;
      this.circle(pen, one.x, one.y, 9 + 6 * one.score);
      pen.stroke();
      this.spot(one.x, one.y, `${one.summary}\nfits the goal: ${one.score.toFixed(2)}`,
        { id: one.id, words: one.summary });
    }
  }

  drawThings(pen) {
    for (const thing of this.view.things) {
      pen.globalAlpha = thing.provisional ? 0.45 : 0.9;
      const [u, v] = this.at(thing.x, thing.y);
      pen.fillStyle = thing.is_target ? COLOURS.target : COLOURS.thing;
      pen.fillRect(u - 3, v - 3, 6, 6);
      pen.globalAlpha = 1;
      if (this.fit[0] > 55 && !thing.provisional) {
        this.words(pen, u, v - 6, thing.name, 10, COLOURS.thing);
      }
      this.spot(thing.x, thing.y, `${thing.name}\nseen ${ago(thing.age_s)}`
        + `, ± ${thing.sigma_m.toFixed(2)} m${thing.provisional ? ', not sure' : ''}`);
    }
  }

  drawRooms(pen) {
    for (const room of this.view.rooms) {
      const [u, v] = this.at(room.x, room.y);
      this.words(pen, u, v + 22, room.name, 13, '#3d4650');
    }
  }

  drawRefused(pen) {
    pen.strokeStyle = COLOURS.refused;
    pen.lineWidth = 2.5;
    for (const one of this.view.refused) {
      if (!one.goal) continue;
      const [u, v] = this.at(one.goal.x, one.goal.y);
      pen.beginPath();
      pen.moveTo(u - 6, v - 6);
      pen.lineTo(u + 6, v + 6);
      pen.moveTo(u - 6, v + 6);
      pen.lineTo(u + 6, v - 6);
      pen.stroke();
      this.spot(one.goal.x, one.goal.y, `${one.action} refused: ${one.code}\n${one.reason}`);
    }
  }

  drawTarget(pen) {
    const { track, driven_to: goal } = this.view;
    if (goal) {
      pen.setLineDash([5, 4]);
      pen.strokeStyle = COLOURS.goal;
      pen.lineWidth = 2;
      this.circle(pen, goal.x, goal.y, 10);
      pen.stroke();
      pen.setLineDash([]);
      this.spot(goal.x, goal.y, 'it drives here');
    }
    if (track) {
      pen.strokeStyle = COLOURS.target;
      pen.lineWidth = 3;
      this.circle(pen, track.x, track.y, 12);
      pen.stroke();
      this.dot(pen, track.x, track.y, 4, COLOURS.target);
      this.spot(track.x, track.y,
        `the target, by ${track.views} view${track.views === 1 ? '' : 's'}`);
    }
  }

  drawRobot(pen) {
    const { robot } = this.view;
    if (!robot) return;
    const [u, v] = this.at(robot.x, robot.y);
    pen.save();
    pen.translate(u, v);
    pen.rotate(-robot.yaw);
    pen.globalAlpha = robot.stale ? 0.4 : 1;
    pen.fillStyle = robot.stale ? '#8a9099' : robot.healthy ? COLOURS.robot : '#c05621';
    pen.strokeStyle = COLOURS.ring;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(14, 0);
    pen.lineTo(-9, 9);
    pen.lineTo(-5, 0);
    pen.lineTo(-9, -9);
    pen.closePath();
    pen.fill();
    pen.stroke();
    pen.restore();
    this.spot(robot.x, robot.y, `the robot${robot.stands ? ', standing' : ''}`
      + `${robot.healthy ? '' : ', not sure where'}\ntold ${ago(robot.age_s)}`);
  }

  drawScale(pen, height) {
    const metre = this.fit[0];
    pen.strokeStyle = COLOURS.robot;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(16, height - 16);
    pen.lineTo(16 + metre, height - 16);
    pen.stroke();
    this.words(pen, 16 + metre / 2, height - 22, '1 m', 12, COLOURS.robot);
  }

  circle(pen, x, y, radius) {
    pen.beginPath();
    pen.arc(...this.at(x, y), radius, 0, 2 * Math.PI);
  }

  dot(pen, x, y, radius, colour) {
    this.circle(pen, x, y, radius);
    pen.fillStyle = colour;
    pen.fill();
    pen.strokeStyle = COLOURS.ring;
    pen.lineWidth = 1.5;
    pen.stroke();
  }

  words(pen, u, v, text, size, colour) {
    pen.font = `${size}px system-ui, sans-serif`;
    pen.textAlign = 'center';
    pen.lineWidth = 3;
    pen.strokeStyle = '#ffffffd0';
    pen.strokeText(text, u, v);
    pen.fillStyle = colour;
    pen.fillText(text, u, v);
  }

  spot(x, y, words, place = null) {
    this.spots.push([...this.at(x, y), words, place]);
  }

  near(event) {
    const box = this.canvas.getBoundingClientRect();
    const [u, v] = [event.clientX - box.left, event.clientY - box.top];
    return this.spots.filter((one) => Math.hypot(one[0] - u, one[1] - v) < NEAR_PX);
  }

  onClick(event) {
    if (Math.hypot(event.clientX - this.downAt[0], event.clientY - this.downAt[1]) > STILL_PX) {
      return;
    }
    const places = this.near(event).map((one) => one[3]).filter((place) => place && place.id);
    if (places.length) this.onPlace(places.at(-1));
  }

  onWheel(event) {
    event.preventDefault();
    const times = Math.exp(-event.deltaY / 400);
    const zoom = Math.min(12, Math.max(0.5, this.zoom * times));
    const by = zoom / this.zoom;
    const box = this.canvas.getBoundingClientRect();
    const [u, v] = [event.clientX - box.left - box.width / 2,
      event.clientY - box.top - box.height / 2];
    this.shift = [u - (u - this.shift[0]) * by, v - (v - this.shift[1]) * by];
    this.zoom = zoom;
    this.draw();
  }

  onDown(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.downAt = [event.clientX, event.clientY];
    this.held = [event.clientX - this.shift[0], event.clientY - this.shift[1]];
    this.canvas.addEventListener('pointerup', () => { this.held = null; }, { once: true });
  }

  onMove(event) {
    if (this.held) {
      this.shift = [event.clientX - this.held[0], event.clientY - this.held[1]];
      this.draw();
      return;
    }
    const box = this.canvas.getBoundingClientRect();
    const [u, v] = [event.clientX - box.left, event.clientY - box.top];
    const near = this.near(event);
    this.canvas.classList.toggle('on-place', near.some((one) => one[3] && one[3].id));
    this.hover.hidden = near.length === 0;
    if (near.length) {
      this.hover.textContent = near.at(-1)[2];
      this.hover.style.left = `${Math.min(u + 14, box.width - 200)}px`;
      this.hover.style.top = `${Math.min(v + 14, box.height - 60)}px`;
    }
  }
}

export function ago(seconds) {
  if (seconds < 2) return 'just now';
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  return `${Math.round(seconds / 60)} min ago`;
}
