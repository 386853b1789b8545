'use strict';
// Puts the view of the data on the page, answers its controls, and follows a run that goes on.

class Page {
  constructor(data) {
    this.data = data;
    this.view = data.comparison ? new Comparison(data.comparison) : new Race(data.lines);
    this.get = id => document.getElementById(id);
    this.filter = {text: '', status: '', family: ''};
    this.#head();
    this.#choices();
    this.table = new Table(this.get('table'), this.view.columns, sample => this.#open(sample));
    this.table.sort = this.view.order ?? this.table.sort;
    const families = [...new Set(this.view.samples.map(sample => sample.family))].sort();
    this.pictures = new Pictures(this.get('pictures'), this.#picturesWithData(), families, {
      open: sample => this.#reveal(sample),
      only: operator => this.#set('filter', operator),
    });
    this.#listen();
    this.#restore();
    this.#apply();
    this.#restoreSample();
    if (!data.complete) this.#follow();
  }

  #head() {
    document.title = this.get('title').textContent = this.view.title;
    this.get('about').textContent = this.view.about;
    const notes = this.view.notes ?? [];
    this.get('notes').append(...notes.map(note => element('li', {}, note)));
    this.get('notes').hidden = notes.length === 0;
    const {complete, samples, written} = this.data;
    this.get('live').hidden = complete;
    if (!complete) this.get('progress').textContent = `${countText(this.view.samples.length)} of ${countText(samples)} samples, at ${written}; the run goes on.`;
  }

  /** Without those of networks where there are none, and the other way about. */
  #picturesWithData() {
    const hasNetworks = this.view.samples.some(sample => sample.isNetwork);
    const hasOperators = this.view.samples.some(sample => !sample.isNetwork);
    return this.view.pictures.filter(spec => (spec.kind === 'bars' ? hasNetworks : hasOperators));
  }

  #choices() {
    const option = (value, text) => element('option', {value}, text);
    const fill = (id, all, valueOf) => {
      const counts = new Map();
      for (const sample of this.view.samples) counts.set(valueOf(sample), (counts.get(valueOf(sample)) ?? 0) + 1);
      const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
      this.get(id).replaceChildren(option('', all), ...sorted.map(([value, count]) => option(value, `${value} (${count})`)));
      this.get(id).parentElement.hidden = counts.size < 2;
    };
    fill('status', 'all', sample => sample.state);
    fill('family', 'all', sample => sample.family);
    const contenders = this.view.contenders ?? [];
    this.get('contender').replaceChildren(...contenders.map(name => option(name, name)));
    this.get('contender').parentElement.hidden = contenders.length < 2;
    if (contenders.length > 0) this.get('contender').value = this.view.contender;
  }

  #listen() {
    this.get('controls').addEventListener('submit', event => event.preventDefault());
    for (const id of ['filter', 'status', 'family']) this.get(id).addEventListener('input', () => this.#apply());
    this.get('contender').addEventListener('input', () => {
      this.view.choose(this.get('contender').value);
      this.#apply();
    });
    this.get('reset').addEventListener('click', () => {
      for (const id of ['filter', 'status', 'family']) this.get(id).value = '';
      this.#apply();
    });
    document.addEventListener('keydown', event => {
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === 'Escape' && !isTyping) this.#close();
      if (event.key === '/' && !isTyping) {
        event.preventDefault();
        this.get('filter').focus();
      }
    });
    addEventListener('pagehide', () => this.#keep());
  }

  #set(id, value) {
    this.get(id).value = value;
    this.#apply();
  }

  /** Shows what the controls ask for: the table at once, what takes longer when the browser has drawn it. */
  #apply() {
    const words = this.get('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const status = this.get('status').value, family = this.get('family').value;
    const shown = this.view.samples.filter(sample => (!status || sample.state === status) && (!family || sample.family === family) &&
      words.every(word => sample.words.includes(word)));
    this.get('count').value = `${countText(shown.length)} of ${countText(this.view.samples.length)} ${this.view.unit}`;
    this.table.show(shown);
    clearTimeout(this.pending);
    this.pending = setTimeout(() => {
      this.#overview(shown);
      this.pictures.show(shown);
    }, this.isDrawn ? 120 : 0);
    this.isDrawn = true;
  }

  #overview(samples) {
    this.get('overview').replaceChildren(...this.view.overview(samples).map(({title, figure, note, tone}) =>
      element('div', {className: 'card'}, element('div', {}, title), element('div', {className: `figure ${tone ?? ''}`}, figure),
        element('div', {className: 'note'}, note ?? ''))));
    const movers = this.view.movers?.(samples) ?? [];
    this.get('movers').hidden = movers.length === 0;
    this.get('movers-list').replaceChildren(...movers.map(({sample, text, tone}) => {
      const button = element('button', {type: 'button', title: sample.brief}, element('span', {className: tone}, text), ` ${sample.op} ${sample.brief}`);
      button.addEventListener('click', () => this.#reveal(sample));
      return element('li', {}, button);
    }));
  }

  #reveal(sample) {
    this.table.reveal(sample.id);
    this.#open(sample);
    this.get('samples').scrollIntoView({block: 'nearest'});
  }

  #open(sample) {
    if (sample === null) return;
    const close = element('button', {type: 'button', className: 'close', ariaLabel: 'Close'}, '✕');
    close.addEventListener('click', () => this.#close());
    this.get('detail').replaceChildren(close, ...this.view.detail(sample));
    this.get('detail').hidden = false;
    this.get('samples').classList.add('open');
  }

  #close() {
    if (this.get('detail').hidden) return;
    this.get('detail').hidden = true;
    this.get('samples').classList.remove('open');
    this.table.close();
    this.get('table').focus();
  }

  /** What the reader has chosen is kept with the page's entry in the history, where it outlives a reload. */
  #keep() {
    const {sort, opened} = this.table;
    const controls = Object.fromEntries(['filter', 'status', 'family', 'contender'].map(id => [id, this.get(id).value]));
    history.replaceState({controls, sort, opened, follow: this.get('follow').checked, focus: document.activeElement?.id,
      scroll: scrollY, tableScroll: this.get('table').scrollTop, detailScroll: this.get('detail').scrollTop}, '');
  }

  #restore() {
    const state = history.state;
    history.scrollRestoration = 'manual';
    if (state === null) return;
    for (const [id, value] of Object.entries(state.controls)) this.get(id).value = value;
    for (const id of ['status', 'family']) if (this.get(id).selectedIndex < 0) this.get(id).value = '';
    if (this.get('contender').selectedIndex >= 0) this.view.choose(this.get('contender').value);
    this.get('follow').checked = state.follow;
    this.table.sort = state.sort;
  }

  #restoreSample() {
    const state = history.state;
    if (state === null) return;
    const sample = this.view.samples.find(each => each.id === state.opened);
    if (sample !== undefined) {
      this.table.reveal(sample.id);
      this.#open(sample);
    }
    this.get('table').scrollTop = state.tableScroll;
    this.get('detail').scrollTop = state.detailScroll;
    // The overview and the pictures come first; the page has its height once they are there.
    setTimeout(() => {
      scrollTo(0, state.scroll);
      this.get(state.focus || 'title')?.focus({preventScroll: true});
    }, 30);
  }

  /** Reloads the page until it is complete, but not under the hands of somebody who types or has selected text. */
  #follow() {
    let lastKey = 0;
    addEventListener('keydown', () => (lastKey = performance.now()));
    const pause = 1500;
    setInterval(() => {
      const isBusy = performance.now() - lastKey < pause || !getSelection().isCollapsed;
      if (!this.get('follow').checked || document.hidden || isBusy) return;
      this.#keep();
      location.reload();
    }, 1000 * Math.max(1, Number(this.data.refresh_s) || 1));
  }
}

const page = new Page(JSON.parse(document.getElementById('data').textContent));
