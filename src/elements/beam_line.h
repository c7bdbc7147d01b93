/* The centre line of a beam: positions of the nodes, and the directors of the sections at the nodes
 * of each element. */
#ifndef OLO_ELEMENTS_BEAM_LINE_H
#define OLO_ELEMENTS_BEAM_LINE_H

#include "elements/builder.h"

/* Directors are rows: d1, d2, d3. Two elements that meet at a corner have different directors at
 * their common node. */
typedef struct olo_line {
    int elements, element_nodes, nodes;
    bool uniform;           /* nodes are equally spaced along the line, also at corners */
    double length;          /* sum of the distances of its nodes */
    double (*x)[3];         /* [nodes] */
    double (*directors)[9]; /* [elements * element_nodes] */
} olo_line;

/* Creates the centre line. On failure the error names the key of the beam that is wrong. `line`
 * owns its arrays; free them with olo_line_free. */
olo_status olo_line_create(olo_builder *builder, const olo_beam *beam, olo_line *line);
void olo_line_free(olo_line *line);

/* Length without stress of a part of the line between two nodes whose distance is `measured`: the
 * part of `rest_length`, if that is given. */
double olo_line_rest_length(const olo_line *line, const olo_beam *beam, double measured);

#endif
