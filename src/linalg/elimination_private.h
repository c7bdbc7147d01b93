/* What the files of the block elimination share: blocks, neighbours and where their numbers are. */
#ifndef OLO_LINALG_ELIMINATION_PRIVATE_H
#define OLO_LINALG_ELIMINATION_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "linalg/elimination.h"

typedef struct olo_elimination_neighbour {
    int block;
    bool
        clean; /* nothing but the joint couples the two: K_cb and K_bc are zero and have no place */
    int upper; /* offset of K_cb in `numbers` */
    int lower; /* offset of K_bc */
    int X;     /* offset of X_b, dof x size_b */
    int LB;    /* offset of L_b B, size_b x dof */
} neighbour;

typedef struct olo_elimination_node {
    olo_block shape;
    int block;         /* its number */
    int first, degree; /* neighbours eliminated later */
    int parent_slot;   /* position of the parent among them, -1 */
    bool root;         /* a frame on the ground with no later neighbours */
    bool leaf;         /* no block is eliminated into it */
    bool first_child;  /* the first to be eliminated of the children of its parent */
    bool light;  /* a frame that hangs on a frame by its joint alone: see elimination_tree.c */
    int target;  /* degree x degree offsets of K_ab */
    int cleared; /* numbers from `diagonal` on that a new matrix starts from zero: K, z and e */
    int diagonal, z, e, dt, du, x, D, y; /* e and y not of a plain block */
    int A, A_hat, B, B_hat, Ep, Ec, kp, kc, ku;
    int end;     /* what is fetched ahead ends here */
    int spatial; /* of a light block, which has no A, A_hat, Ep, Ec */
    int pivot;
} node;

/* All that follows from the graph: order of elimination, fill, and the layout of the numbers. */
struct olo_elimination_structure {
    int count;
    node *nodes;
    int *order; /* order[i] is eliminated i-th */
    int *rank;  /* inverse of order */
    neighbour *neighbours;
    int *targets;
    bool tree; /* every block is light or a root */
    int number_count, pivot_count;
};

/* The numbers; what is const belongs to the structure. */
struct olo_elimination {
    const olo_elimination_structure *structure;
    int count;
    bool tree;
    const node *nodes;
    const int *order, *rank;
    const neighbour *neighbours;
    const int *targets;
    double *numbers;
    int *pivots;
    int *active;          /* [count] dof, of closures without the directions that are redundant */
    double closure_scale; /* largest diagonal entry of a closure block */
    bool has_gap;         /* some e is not zero: set by the user asking for a gap */
};

static inline int active_of(const olo_elimination *el, const node *c)
{
    return el->active[c->block];
}

/* A list of blocks, growing. */
typedef struct olo_block_list {
    int *item;
    int count;
    size_t capacity;
} list;

bool olo_block_list_add(list *l, int value);

/* Fills order and rank; the lists of the graph end as the later neighbours of each block. */
bool olo_elimination_order(olo_elimination_structure *el, list *graph, olo_error *error);

/* Where K_ab is among the numbers, -1: nowhere. */
int olo_elimination_offset(const olo_elimination_structure *el, int a, int b);

/* The light blocks of a tree: 6 x 6, one neighbour, a spatial joint. */
bool olo_elimination_light_factor(olo_elimination *el, const node *c);
void olo_elimination_light_forward(olo_elimination *el, const node *c);
void olo_elimination_light_backward(olo_elimination *el, const node *c);

/* The root of a tree of frames: factors, and solves when its turn on the way back comes first. */
bool olo_elimination_root_factor(olo_elimination *el, const node *c);
void olo_elimination_root_solve(olo_elimination *el, const node *c);

/* The wrench of either. */
void olo_elimination_frame_wrench(const olo_elimination *el, const node *c, double *mu);

/* Which rows of a closure repeat others, from what the blocks before have left of its own. */
void olo_elimination_reveal_closure(olo_elimination *el, const node *c, bool symmetric);

/* All rows of the closures active. */
void olo_elimination_open_closures(olo_elimination *el);

#endif
