/* Declarations shared by the files of the block elimination: blocks, neighbours and the layout of
 * their numbers. */
#ifndef OLO_LINALG_ELIMINATION_PRIVATE_H
#define OLO_LINALG_ELIMINATION_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "linalg/elimination.h"

typedef struct olo_elimination_neighbour {
    int block;
    int size, z, dt; /* of that block */
    bool closure;    /* that block is a closure */
    bool fixed;      /* that block is fixed */
    bool joint_only; /* the two are coupled by the joint only: K_cb and K_bc are zero, and those of
                        spatial joints are not stored */
    int upper;       /* offset of K_cb in `numbers` */
    int lower;       /* offset of K_bc */
    int X;           /* offset of X_b, dof x size_b */
    int LB;          /* offset of L_b B, size_b x dof */
} neighbour;

typedef struct olo_elimination_node {
    olo_block shape;
    int block;         /* its number */
    int first, degree; /* neighbours eliminated later */
    int parent_slot;   /* position of the parent among them, -1 */
    bool spatial;      /* a frame with a spatial joint to a frame */
    bool frame;        /* a frame on the ground, or with a spatial joint */
    bool fixed;        /* a frame on the ground without degrees of freedom */
    bool threes;       /* a plain block of three with at most two later neighbours, of three */
    bool loaded;       /* a closure is eliminated before it, and into it */
    int target;        /* degree x degree offsets of K_ab */
    int cleared; /* count of numbers from `diagonal` on that are zeroed for a new matrix: K, z and e
                  */
    int diagonal, z, e, dt, du, x, D; /* a plain block has no e */
    int A, A_hat, B, B_hat, Ep, Ec, kp, kc, ku;
    int arms; /* of a spatial joint, which has no A, A_hat, Ep, Ec */
    int end;  /* end of the numbers that are prefetched */
    int pivot;
} node;

/* The structure: order of elimination, fill, and layout of the numbers. */
struct olo_elimination_structure {
    int count;
    olo_pool pool; /* memory of the arrays below */
    node *nodes;
    int *order;       /* order[i] is eliminated i-th */
    int *rank;        /* inverse of order */
    int last_closure; /* the largest rank of a closure */
    neighbour *neighbours;
    int *targets;
    bool tree; /* every block is a frame that is coupled by its joint only */
    int number_count, pivot_count;
};

/* The hot functions, compiled for each kind of processor (elimination_sweep.c). */
typedef struct olo_elimination_kernels {
    bool (*factor)(olo_elimination *el, const node *c); /* false: D is singular */
    void (*forward)(olo_elimination *el, const node *c);
    void (*backward)(olo_elimination *el, const node *c);
    void (*wrench)(const olo_elimination *el, const node *c, double *mu);
} olo_elimination_kernels;

extern const olo_elimination_kernels olo_elimination_kernels_plain;
/* NULL where there is no such compilation. */
extern const olo_elimination_kernels *const olo_elimination_kernels_wide;

/* The same for symmetric matrices (elimination_symmetric_sweep.c). With unit > 0 the metric of
 * joints is used. */
typedef struct olo_symmetric_kernels {
    bool (*factor)(olo_elimination *el, const node *c, double unit); /* false: D is singular */
    void (*forward)(olo_elimination *el, const node *c);
    void (*backward)(olo_elimination *el, const node *c);
} olo_symmetric_kernels;

extern const olo_symmetric_kernels olo_symmetric_kernels_plain;
extern const olo_symmetric_kernels *const olo_symmetric_kernels_wide;

/* The numbers; const members belong to the structure. */
struct olo_elimination {
    const olo_elimination_structure *structure;
    const olo_elimination_kernels *kernels;
    const olo_symmetric_kernels *symmetric;
    int count;
    bool tree;
    const node *nodes;
    const int *order, *rank;
    const neighbour *neighbours;
    const int *targets;
    double *numbers;
    int *pivots;
    int *active;          /* [count] dof; of closures the number of active directions */
    double closure_scale; /* largest diagonal entry of a closure block */
    bool has_gap;         /* some e may be non-zero: set when the caller requests a gap */
    bool has_rows;        /* the same for z^, which is where x is found */
};

static inline int active_of(const olo_elimination *el, const node *c)
{
    return el->active[c->block];
}

/* A growing list of blocks. */
typedef struct olo_block_list {
    int *item;
    int count;
    size_t capacity;
} list;

bool olo_block_list_add(list *l, int value);

/* Computes order and rank; at the end the lists of the graph contain the later neighbours of each
 * block. */
bool olo_elimination_order(olo_elimination_structure *el, list *graph, olo_error *error);

/* The offset of K_ab in the numbers; -1: not stored. */
int olo_elimination_offset(const olo_elimination_structure *el, int a, int b);

/* Finds the active directions of a closure from its diagonal block after the elimination of all
 * earlier blocks. */
void olo_elimination_find_closure_rank(olo_elimination *el, const node *c, bool symmetric);

/* Activates all rows of all closures. */
void olo_elimination_activate_closures(olo_elimination *el);

#endif
