import type { SavedQueryView } from './backend';

// What was asked for on one screen and is done on another, once that one is here.
class Wishes {
  /** A new memory is to be written. */
  memory = $state(false);
  /** The library is to show this view. */
  view = $state.raw<SavedQueryView | undefined>(undefined);

  /** A text is to be made for this circle, by its entity. */
  circle = $state('');

  forget(): void {
    this.memory = false;
    this.view = undefined;
    this.circle = '';
  }
}

export const wishes = new Wishes();
