/* Steps of higher order from steps of second order: symmetric composition,
 *
 *     Phi_h = phi_{c_s h} o ... o phi_{c_2 h} o phi_{c_1 h},   c_{s+1-i} = c_i,   sum c_i = 1.
 *
 * Some parts are backward in time; all nodes lie within the step. The whole step conserves all
 * quantities that every part conserves.
 */
#ifndef OLO_STEPPING_COMPOSITION_H
#define OLO_STEPPING_COMPOSITION_H

#include <stdbool.h>

enum { OLO_COMPOSITION_PARTS = 9 };

typedef struct olo_composition {
    int order;
    int parts;
    double part[OLO_COMPOSITION_PARTS]; /* c_i */
    /* The error of a step is estimated by the sum of weight[i] q_i over the configurations at its
     * nodes, which is of order h^estimate; 0: there is none. */
    int estimate;
    double weight[OLO_COMPOSITION_PARTS + 1];
} olo_composition;

/* Returns the composition of an order, with an error estimate if wanted; NULL if there is none. */
const olo_composition *olo_composition_find(int order, bool estimated);
/* The middle of a part, as a fraction of the whole step. */
double olo_composition_middle(const olo_composition *composition, int part);

#endif
