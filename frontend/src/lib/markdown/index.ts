export { judge, hostOf } from './address';
export { render, renderCodeBlock, type Labels, type Options } from './render';
export { tidied, unmarked } from './unmarked';
export { pieces, hidesSomething, visible, type Piece } from './visible';
