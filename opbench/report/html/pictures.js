'use strict';
// The pictures of a view: charts by Chart.js, and a treemap of buttons. A picture is drawn when it comes into sight.

const paletteSize = 8;

const styleOf = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

class Pictures {
  /** `actions`: open(sample) and only(operator), which a click on a picture asks for. */
  constructor(container, specs, groups, actions) {
    this.colours = new Map(groups.map((group, i) => [group, `c${Math.min(i, paletteSize - 1)}`]));
    this.actions = actions;
    this.samples = [];
    this.observer = new IntersectionObserver(entries => {
      for (const {target, isIntersecting} of entries) {
        const picture = this.pictures.find(each => each.figure === target);
        picture.isInSight = isIntersecting;
        if (isIntersecting) this.#draw(picture);
      }
    }, {rootMargin: '200px'});
    this.pictures = specs.map(spec => this.#picture(spec));
    container.append(...this.pictures.map(picture => picture.figure));
    for (const picture of this.pictures) this.observer.observe(picture.figure);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#redraw());
  }

  /** Has the pictures show these samples. */
  show(samples) {
    this.samples = samples;
    this.#redraw();
  }

  #redraw() {
    for (const picture of this.pictures) {
      picture.isStale = true;
      if (picture.isInSight) this.#draw(picture);
    }
  }

  #picture(spec) {
    const drawing = element('div', {className: spec.kind === 'bars' ? 'drawing long' : 'drawing'});
    const figure = element('figure', {id: `picture-${spec.id}`}, element('h2', {}, spec.title), element('figcaption', {}, spec.caption), drawing);
    return {spec, figure, drawing, chart: null, isStale: true, isInSight: false};
  }

  #draw(picture) {
    if (!picture.isStale) return;
    picture.isStale = false;
    picture.chart?.destroy();
    picture.chart = null;
    picture.drawing.replaceChildren();
    const draw = {scatter: drawScatter, histogram: drawHistogram, bars: drawBars, treemap: drawTreemap}[picture.spec.kind];
    const isEmpty = draw(picture, this.samples, this) === false;
    picture.figure.classList.toggle('empty', isEmpty);
    if (isEmpty) picture.drawing.replaceChildren(element('p', {className: 'hint'}, 'No sample shown has these figures.'));
  }
}

/** A canvas within a picture's drawing, which says in words what is on it. */
function canvasOf(picture, words) {
  const canvas = element('canvas', {role: 'img', ariaLabel: `${picture.spec.title}: ${words}`});
  picture.drawing.append(canvas);
  return canvas;
}

function baseOptions(picture) {
  return {
    animation: false, responsive: true, maintainAspectRatio: false, color: styleOf('ink'),
    plugins: {legend: {labels: {boxWidth: 8, boxHeight: 8, color: styleOf('ink')}}, tooltip: {displayColors: false}},
  };
}

function axisOf(type, title, text) {
  return {type, title: {display: true, text: title, color: styleOf('faint')}, grid: {color: styleOf('line')},
    ticks: {color: styleOf('faint'), maxRotation: 0, autoSkip: true, maxTicksLimit: 9, callback: value => (type === 'category' ? text(value) : trimmed(text(value)))}};
}

/** A logarithmic axis that fits these values, with few and round ticks: steps of 1, 2, 5, of 10, or of more. */
function logarithmicAxis(title, text, values) {
  const margin = 1.15, mostTicks = 9;
  const axis = axisOf('logarithmic', title, text);
  axis.min = Infinity;
  axis.max = 0;
  for (const value of values) {
    axis.min = Math.min(axis.min, value / margin);
    axis.max = Math.max(axis.max, value * margin);
  }
  const ticks = (leads, step) => {
    const found = [];
    for (let power = step * Math.floor(Math.log10(axis.min) / step); 10 ** power <= axis.max; power += step)
      for (const lead of leads) if (lead * 10 ** power >= axis.min && lead * 10 ** power <= axis.max) found.push({value: lead * 10 ** power});
    return found;
  };
  const choices = [[[1, 1.2, 1.5, 2, 3, 5, 7], 1], [[1, 2, 5], 1], [[1], 1], [[1], 2], [[1], 3]];
  axis.afterBuildTicks = scale => {
    scale.ticks = choices.map(choice => ticks(...choice)).find(found => found.length <= mostTicks) ?? ticks([1], 4);
  };
  return axis;
}

function drawScatter(picture, samples, {colours, actions}) {
  const {spec} = picture;
  const points = spec.points(samples);
  if (points.length === 0) return false;
  const groups = new Map();
  for (const point of points) {
    if (!groups.has(point.sample.family)) groups.set(point.sample.family, []);
    groups.get(point.sample.family).push(point);
  }
  const radius = points.length > 3000 ? 1.8 : 3;
  const datasets = [...groups].map(([name, data]) => ({label: name, data, pointRadius: radius, pointHoverRadius: radius + 3, pointBorderWidth: 0,
    backgroundColor: `${styleOf(colours.get(name) ?? 'c7')}b0`, borderColor: styleOf(colours.get(name) ?? 'c7')}));
  datasets.push(...linesOf(spec, points));
  const options = baseOptions(picture);
  const heights = (spec.lines?.() ?? []).map(line => line.points).filter(height => typeof height === 'number');
  options.scales = {
    x: logarithmicAxis(spec.x.title, spec.x.text, points.map(point => point.x)),
    y: logarithmicAxis(spec.y.title, spec.y.text, points.map(point => point.y).concat(heights)),
  };
  options.plugins.legend.labels.usePointStyle = true;
  options.parsing = false;
  options.normalized = true;
  options.interaction = {mode: 'nearest', intersect: true};
  options.plugins.tooltip.callbacks = {
    title: ([item]) => item.raw.sample?.op ?? item.dataset.label,
    label: ({raw}) => (raw.sample ? [raw.sample.brief.slice(0, 100), `${spec.x.title}: ${spec.x.text(raw.x)}`, `${spec.y.title}: ${spec.y.text(raw.y)}`, raw.sample.state] : ''),
  };
  options.onClick = (event, items) => {
    const sample = items[0]?.element.$context.raw.sample;
    if (sample) actions.open(sample);
  };
  picture.chart = new Chart(canvasOf(picture, `${points.length} samples`), {type: 'scatter', data: {datasets}, options});
}

/** The lines of a scatter over the whole width: constants, or functions of x. */
function linesOf(spec, points) {
  const steps = 64;
  let low = Infinity, high = 0;
  for (const {x} of points) {
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  high = Math.max(high, low * 10);
  return (spec.lines?.() ?? []).map(({name, points: height}, i) => {
    const data = Array.from({length: steps + 1}, (_, step) => {
      const x = low * (high / low) ** (step / steps);
      return {x, y: typeof height === 'number' ? height : height(x)};
    });
    return {label: name, type: 'line', data, pointStyle: 'line', borderColor: styleOf('faint'), borderWidth: 1.5,
      borderDash: [[], [6, 3], [2, 3]][i % 3], pointRadius: 0, pointHitRadius: 0, order: -1};
  });
}

function drawHistogram(picture, samples) {
  const {spec} = picture;
  const values = spec.values(samples).map(Math.log2).sort((a, b) => a - b);
  if (values.length === 0) return false;
  // The widest bars are a factor of 2^(1/4); values beyond a hundredth at either end are in the outermost bars.
  const low = Math.min(quantile(values, 0.005), -0.1), high = Math.max(quantile(values, 0.995), 0.1);
  const step = [1 / 32, 1 / 16, 1 / 8, 1 / 4].find(each => (high - low) / each <= 60) ?? 1 / 4;
  // A bar stands for the values around a multiple of the step, so that what is near 1 has a bar of its own.
  const from = Math.round(low / step), bars = Math.round(high / step) - from + 1;
  const counts = new Array(bars).fill(0);
  for (const value of values) counts[Math.max(0, Math.min(bars - 1, Math.round(value / step) - from))] += 1;
  const ratioAt = i => 2 ** ((from + i) * step);
  const options = baseOptions(picture);
  options.plugins.legend.display = false;
  const labelEach = Math.ceil(bars / 9);
  const label = i => ((from + i) % labelEach === 0 ? trimmed(spec.text(ratioAt(i))) : '');
  options.scales = {x: axisOf('category', spec.title.toLowerCase(), label), y: axisOf('linear', 'samples', countText)};
  options.scales.x.ticks.autoSkip = false;
  options.scales.x.grid.display = false;
  options.plugins.tooltip.callbacks = {
    title: ([item]) => `${spec.text(ratioAt(item.dataIndex - 0.5))} to ${spec.text(ratioAt(item.dataIndex + 0.5))}`,
    label: item => `${item.raw} samples`,
  };
  const good = styleOf('good'), bad = styleOf('bad'), neutral = styleOf('c7');
  const colours = counts.map((_, i) => (from + i === 0 ? neutral : spec.better(ratioAt(i)) ? good : bad));
  const data = {labels: counts.map((_, i) => i), datasets: [{data: counts, backgroundColor: colours, categoryPercentage: 1, barPercentage: 0.95}]};
  const words = `${values.length} samples, median ${spec.text(2 ** quantile(values, 0.5))}`;
  picture.chart = new Chart(canvasOf(picture, words), {type: 'bar', data, options});
}

function drawBars(picture, samples) {
  const {spec} = picture;
  const {labels, series} = spec.bars(samples);
  if (labels.length === 0) return false;
  const datasets = [...series].map(([label, data], i) => ({label, data, backgroundColor: styleOf(`c${i % paletteSize}`), stack: spec.isStacked ? 'one' : label}));
  const options = baseOptions(picture);
  options.indexAxis = 'y';
  const unit = value => `${digits(value, 3)} ${spec.axis}`;
  options.scales = {x: axisOf('linear', spec.axis, value => digits(value, 3)), y: axisOf('category', '', i => labels[i])};
  options.scales.x.stacked = options.scales.y.stacked = Boolean(spec.isStacked);
  options.scales.y.ticks.autoSkip = false;
  options.plugins.tooltip.callbacks = {label: item => `${item.dataset.label}: ${unit(item.raw)}`};
  const canvas = canvasOf(picture, `${labels.length} bars`);
  const room = element('div');
  room.style.height = `${Math.max(300, labels.length * (spec.isStacked ? 24 : 14 + 10 * series.size) + 70)}px`;
  room.append(canvas);
  picture.drawing.replaceChildren(room);
  picture.chart = new Chart(canvas, {type: 'bar', data: {labels, datasets}, options});
}

function drawTreemap(picture, samples, {actions}) {
  const mostCells = 150;
  const {spec, drawing} = picture;
  const cells = spec.cells(samples).sort((a, b) => b.weight - a.weight).slice(0, mostCells);
  if (cells.length === 0) return false;
  const {clientWidth: width, clientHeight: height} = drawing;
  const map = element('div', {className: 'treemap'});
  for (const {cell, x, y, w, h} of squarified(cells, width, height)) {
    const words = `${cell.name}: ${cell.weightText}, ${countText(cell.samples)} samples, ${spec.text(cell.ratio)}`;
    const button = element('button', {type: 'button', title: words, ariaLabel: words}, w > 40 && h > 16 ? `${breakable(cell.name.replace(/^aten\./, ''))} ${spec.text(cell.ratio)}` : '');
    Object.assign(button.style, {left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px`, backgroundColor: heat(cell.ratio, spec.isReversed)});
    button.addEventListener('click', () => actions.only(cell.name));
    map.append(button);
  }
  drawing.append(map);
}

/** A name that may be broken after its dots and underscores. */
const breakable = name => name.replace(/[._]/g, '$&\u200b');

/** Blue for what is better, orange for what is worse, the stronger the further from 1; dark enough for white letters. */
function heat(ratio, isReversed) {
  if (ratio === null) return '#6b7280';
  const strength = Math.min(1, 2 * Math.abs(Math.log2(ratio)));
  const isGood = isReversed ? ratio < 1 : ratio > 1;
  const from = [96, 104, 115], to = isGood ? [0, 94, 168] : [176, 62, 10];
  return `rgb(${from.map((part, i) => Math.round(part + strength * (to[i] - part))).join(',')})`;
}

/** The squarified treemap of Bruls, Huizing and van Wijk: cells of sinking weight, laid out in rows whose cells are near squares. */
function squarified(cells, width, height) {
  const scale = (width * height) / cells.reduce((sum, cell) => sum + cell.weight, 0);
  const placed = [];
  let x = 0, y = 0, w = width, h = height, next = 0;
  const worst = (areas, sum, side) => Math.max((side * side * areas[0]) / sum ** 2, sum ** 2 / (side * side * areas[areas.length - 1]));
  while (next < cells.length) {
    const side = Math.min(w, h);
    const areas = [];
    let sum = 0;
    for (let i = next; i < cells.length; ++i) {
      const area = cells[i].weight * scale;
      if (areas.length > 0 && worst([...areas, area], sum + area, side) > worst(areas, sum, side)) break;
      areas.push(area);
      sum += area;
    }
    const thickness = sum / side;
    let along = 0;
    for (const area of areas) {
      const length = area / thickness;
      placed.push(w >= h ? {cell: cells[next], x, y: y + along, w: thickness, h: length} : {cell: cells[next], x: x + along, y, w: length, h: thickness});
      along += length;
      next += 1;
    }
    if (w >= h) {
      x += thickness;
      w -= thickness;
    } else {
      y += thickness;
      h -= thickness;
    }
  }
  return placed;
}
