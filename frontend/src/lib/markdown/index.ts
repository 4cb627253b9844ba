export { judge, hostOf } from './address';
export { render, renderCodeBlock, type Labels, type Options } from './render';
export { tidied, unmarked } from './unmarked';
export { pieces, hidesSomething, type Piece } from './visible';
