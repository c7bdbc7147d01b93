/* What the files of the way back over packed bodies share. */
#ifndef OLO_STEPPING_LINEAR_HINGES_PRIVATE_H
#define OLO_STEPPING_LINEAR_HINGES_PRIVATE_H

#include "stepping/linear_packs.h"
#include "stepping/packs_private.h"

/* One body; vectors of three numbers and a fourth that means nothing. */
typedef struct olo_linear_body {
    lane sensitivity[2]; /* derivative with respect to the twist of its subtree, about its pivot */
    lane force, moment;  /* W */
    lane share[3];  /* T_I, and the joint wrenches of its children as forces on its directors */
    lane end_force; /* derivative by the position at the end, y.dT/dq1 included */
    lane y[2];      /* twist of the left null space */
    lane n0, arm0;
    lane reach;  /* where its parent has the joint, from the parent's pivot */
    double rate; /* about n in y; before that the derivative with respect to its angle, divided
                    by D */
} linear_body;

/* What the variation of joints with translations or two axes of rotation adds, with their axes. */
typedef struct olo_linear_joint {
    lane push, twist;      /* force at the pivot, and moment, on the configuration at the start */
    lane M0[3], M_left[3]; /* axes of translations at the start, and in the left pair */
    lane m0;               /* first axis of a cross at the start */
} linear_joint;

/* (g - M other).dP u with v = P u; all [n]. */
typedef struct olo_packs_variation {
    const double *g, *other, *v;
} olo_packs_variation;

typedef struct olo_linear_packs_kernels {
    void (*gather)(olo_linear_packs *x, const olo_step *step, const olo_packs_adjoint *a);
    void (*solve)(olo_linear_packs *x);
    /* the variation with the configuration at which was projected last is added to gq */
    void (*vary)(olo_linear_packs *x, const olo_packs_variation *of, double *gq);
    void (*give)(const olo_linear_packs *x, olo_step *step, const olo_packs_adjoint *a);
} olo_linear_packs_kernels;

struct olo_linear_packs {
    olo_packs *packs; /* its tangent is stored */
    const olo_linear_packs_kernels *kernels;
    linear_body *bodies;  /* [fours * LANES] */
    linear_joint *joints; /* likewise; NULL: none is staged */
};

extern const olo_linear_packs_kernels olo_linear_packs_kernels_plain;
/* NULL where there is no such compilation. */
extern const olo_linear_packs_kernels *const olo_linear_packs_kernels_wide;

#endif
