/* The numbers of four quadrature points: reading them from a system, and adding results to its
 * arrays. A part of strain_pack.c. */
#ifndef OLO_SYSTEM_STRAIN_PACK_DATA_H
#define OLO_SYSTEM_STRAIN_PACK_DATA_H

#include "system/term_pack.h"

#define NUMBER lane
#include "system/strain_formulas.h"

/* What is known of a step of four points. */
typedef struct step_data {
    lane N[A], dN[A];
    vector x[A][4], dx[A][4]; /* nodes at q0, and their increments */
    point start, change, middle;
} step_data;

_Static_assert(sizeof(step_data) <= sizeof((olo_pack_step *)0)->number,
               "olo_pack_step is too small");

/* The four olo_strain of a pack. */
typedef struct four {
    const olo_strain *s[LANES];
} four;

FORMULA four strains_in(const olo_term_pack *pack)
{
    return (four){{pack->data[0], pack->data[1], pack->data[2], pack->data[3]}};
}

/* One number of each of the four. */
#define OF_FOUR(at, number)                                                                        \
    ((lane){(at)->s[0]->number, (at)->s[1]->number, (at)->s[2]->number, (at)->s[3]->number})

/* The factor of all terms; lanes that are copies of a term add zero. */
FORMULA lane factor_of(const olo_term_pack *pack, double factor)
{
    return (lane){factor, pack->count > 1 ? factor : 0.0, pack->count > 2 ? factor : 0.0,
                  pack->count > 3 ? factor : 0.0};
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Whether some term has sections that are turned at node a; then the turns of all. */
FORMULA bool read_turns(const four *at, int a, lane turn[9])
{
    static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *t[LANES];
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any = any || at->s[l]->turn[a];
        t[l] = at->s[l]->turn[a] ? at->s[l]->turn[a] : none;
    }
    for (int i = 0; any && i < 9; i++)
        turn[i] = (lane){t[0][i], t[1][i], t[2][i], t[3][i]};
    return any;
}

/* `count` numbers of each term from its own address in q. */
FORMULA void read_numbers(const int count, const double *q, const int at[LANES], lane *number)
{
    const double *const from[LANES] = {q + at[0], q + at[1], q + at[2], q + at[3]};
    lanes_read(count, from, number);
}

/* The coordinates that a node contributes: where they begin in a frame, and how many there are. */
FORMULA int first_of(const shape of, int a)
{
    return has_position(of, a) ? 0 : 3;
}

FORMULA int size_of(const shape of, int a)
{
    return (has_directors(of, a) ? FRAME : 3) - first_of(of, a);
}

/* The addresses of these coordinates. */
FORMULA void addresses_of(const shape of, const four *at, int a, int address[LANES])
{
    for (int l = 0; l < LANES; l++)
        address[l] = has_position(of, a) ? at->s[l]->position[a] : at->s[l]->directors[a];
}

FORMULA void read_node(const shape of, const four *at, int a, const double *q, lane number[FRAME])
{
    int address[LANES];
    addresses_of(of, at, a, address);
    read_numbers(size_of(of, a), q, address, number + first_of(of, a));
}

/* Position and directors of the sections at the nodes. */
FORMULA void read_nodes(const shape of, const four *at, const double *q, vector x[A][4])
{
    for (int a = 0; a < of.nodes; a++) {
        const int first = first_of(of, a);
        lane number[FRAME], turn[9];
        read_node(of, at, a, q, number);
        for (int i = first; i < first + size_of(of, a); i++)
            x[a][i / 3].x[i % 3] = number[i];
        if (has_directors(of, a) && read_turns(at, a, turn))
            turn_directors(turn, x[a]);
    }
}

/* phi' += the contribution of the rounding remainder of positions */
FORMULA void add_remainder(const shape of, const four *at, const lane *dN, const double *remainder,
                           point *p)
{
    vector first = {0};
    for (int a = 0; a < of.nodes; a++) {
        vector x;
        if (!has_position(of, a))
            continue;
        for (int c = 0; c < 3; c++)
            x.x[c] =
                (lane){remainder[at->s[0]->position[a] + c], remainder[at->s[1]->position[a] + c],
                       remainder[at->s[2]->position[a] + c], remainder[at->s[3]->position[a] + c]};
        if (a == 0)
            first = x;
        else
            p->f = add_times(p->f, dN[a], difference(x, first));
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* The force on node a of the four. */
FORMULA void add_node_force(const shape of, const four *at, int a, const lane number[FRAME],
                            double *T)
{
    int address[LANES];
    addresses_of(of, at, a, address);
    double *const to[LANES] = {T + address[0], T + address[1], T + address[2], T + address[3]};
    lanes_add_to(size_of(of, a), number + first_of(of, a), to);
}

#endif
