/* The packs of the frames of a system; see the header. */
#include "stepping/frame_packs.h"

#include "base/memory.h"

/* The mass of a frame to lane l. */
static void set_mass(const olo_frame_mass *from, int l, lane_mass *to)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    to->m[l] = from->m;
    for (int I = 0; I < 3; I++)
        to->c[I][l] = from->c[I];
    for (int k = 0; k < 6; k++)
        to->E[k][l] = from->E[3 * row[k] + column[k]];
}

/* Puts a frame to position i of all packs. */
static void put(const olo_system *s, int k, int i, olo_frame_packs *x)
{
    olo_frame_pack *pack = &x->pack[i / LANES];
    const int first = i % LANES, last = first == 0 ? LANES - 1 : first;
    pack->count = first + 1;
    for (int l = first; l <= last; l++) {
        pack->node[l] = k;
        pack->q[l] = s->nodes[k].q;
        pack->motion[l] = s->nodes[k].motion;
        if (s->nodes[k].frame >= 0)
            set_mass(&s->frames[s->nodes[k].frame], l, &pack->mass);
    }
}

static bool is_frame(const olo_system *s, int k, bool heavy)
{
    return s->nodes[k].type->spatial && (s->nodes[k].frame >= 0) == heavy;
}

/* Appends packs of all frames with or without a mass; a single one that is left joins the rest. */
static void gather(const olo_system *s, bool heavy, olo_frame_packs *x)
{
    int frames = 0, done = 0;
    for (int k = 0; k < s->node_count; k++)
        frames += is_frame(s, k, heavy);
    const int packed = frames % LANES == 1 ? frames - 1 : frames;
    for (int k = 0; k < s->node_count; k++)
        if (is_frame(s, k, heavy) && done < packed) {
            put(s, k, LANES * x->count + done++, x);
        } else if (is_frame(s, k, heavy)) {
            x->single = heavy ? k : x->single;
            x->rest[x->rest_count++] = k;
        }
    x->count += (packed + LANES - 1) / LANES;
}

bool olo_frame_packs_create(const olo_system *s, bool plain, olo_frame_packs *x)
{
    const bool wide = !plain && olo_frame_kernels_wide && olo_lanes_are_wide();
    *x = (olo_frame_packs){.single = -1,
                           .kernels = wide ? olo_frame_kernels_wide : &olo_frame_kernels_plain};
    x->pack = olo_alloc((size_t)(s->node_count / LANES + 2), sizeof *x->pack);
    x->rest = olo_alloc((size_t)s->node_count, sizeof *x->rest);
    if (!x->pack || !x->rest)
        return false;
    gather(s, true, x);
    x->heavy = x->count;
    gather(s, false, x);
    for (int k = 0; k < s->node_count; k++)
        if (!s->nodes[k].type->spatial)
            x->rest[x->rest_count++] = k;
    return true;
}

void olo_frame_packs_free(olo_frame_packs *x)
{
    olo_free(x->pack);
    olo_free(x->rest);
}
