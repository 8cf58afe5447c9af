// How far dilated convolutions see.

/** Steps that a stack of convolutions of width 2 with dilations 1, 2, 4, … sees, the present one included. */
export const seenBy = (layers: number): number => 2 ** layers;
