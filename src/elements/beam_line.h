/* The centre line of a beam with its sections: where the nodes are, and the directors that each
 * element sees there. */
#ifndef OLO_ELEMENTS_BEAM_LINE_H
#define OLO_ELEMENTS_BEAM_LINE_H

#include "elements/builder.h"

/* Directors are rows: d1, d2, d3. Two elements that meet at a corner see different ones at their
 * common node. */
typedef struct olo_line {
    int elements, element_nodes, nodes;
    double (*x)[3];         /* [nodes] */
    double (*directors)[9]; /* [elements * element_nodes] */
} olo_line;

/* Fails with the key of the beam that is wrong. `line` owns its arrays: olo_line_free. */
olo_status olo_line_create(olo_builder *builder, const olo_beam *beam, olo_line *line);
void olo_line_free(olo_line *line);

#endif
