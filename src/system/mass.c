/* The mass matrix: the product y = M x, and the selection of the entries that belong to frames. */
#include "system/mass.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/row3.h"
#include "system/system.h"

/* y += m x of a vector with one number or three */
static inline void add_vector(int width, double m, const double *x, double *y)
{
    if (width == 1)
        y[0] += m * x[0];
    else
        row3_store(row3_add_times(row3_load(y), m, row3_load(x)), y);
}

void olo_system_mass_times(const olo_system *system, const double *x, double *y)
{
    for (int k = 0; k < system->frame_count; k++) {
        const olo_frame_mass *frame = &system->frames[k];
        olo_frame_mass_times(frame, x + frame->q, y + frame->q);
    }
    for (int k = 0; k < system->node_count; k++)
        if (system->nodes[k].frame < 0)
            memset(y + system->nodes[k].q, 0, (size_t)system->nodes[k].size * sizeof *y);
    for (int e = 0; e < system->loose_mass_count; e++) {
        const olo_mass_entry *entry = &system->mass[e];
        add_vector(entry->width, entry->m, x + entry->j, y + entry->i);
        if (entry->i != entry->j)
            add_vector(entry->width, entry->m, x + entry->i, y + entry->j);
    }
}

/* Numbers the frames. A node that a mass entry couples to another node is not one of them. */
static void number_frames(olo_system *s)
{
    for (int k = 0; k < s->node_count; k++)
        s->nodes[k].frame = s->nodes[k].type->spatial ? 0 : -1;
    for (int e = 0; e < s->mass_count; e++) {
        int a = s->coordinates[s->mass[e].i].node, b = s->coordinates[s->mass[e].j].node;
        if (a != b)
            s->nodes[a].frame = s->nodes[b].frame = -1;
    }
    s->frame_count = 0;
    for (int k = 0; k < s->node_count; k++)
        if (s->nodes[k].frame == 0)
            s->nodes[k].frame = s->frame_count++;
}

static void add_entry(olo_frame_mass *frame, int slot_i, int slot_j, double m)
{
    if (slot_j == 0) {
        frame->m += m;
    } else if (slot_i == 0) {
        frame->c[slot_j - 1] += m;
    } else {
        frame->E[3 * (slot_i - 1) + slot_j - 1] += m;
        if (slot_i != slot_j)
            frame->E[3 * (slot_j - 1) + slot_i - 1] += m;
    }
}

bool olo_system_gather_frames(olo_system *s)
{
    number_frames(s);
    olo_free(s->frames);
    s->frames = olo_alloc((size_t)s->frame_count, sizeof *s->frames);
    olo_mass_entry *sorted = olo_copy(NULL, (size_t)s->mass_count, sizeof *sorted);
    if (!s->frames || !sorted) {
        olo_free(sorted);
        return false;
    }
    for (int k = 0; k < s->node_count; k++)
        if (s->nodes[k].frame >= 0) {
            s->frames[s->nodes[k].frame].node = k;
            s->frames[s->nodes[k].frame].q = s->nodes[k].q;
        }
    /* first the entries that belong to no frame, then those of frames */
    int loose = 0, first = 0;
    for (int e = 0; e < s->mass_count; e++)
        first += s->nodes[s->coordinates[s->mass[e].i].node].frame < 0;
    s->loose_mass_count = first;
    for (int e = 0; e < s->mass_count; e++) {
        const olo_coordinate *i = &s->coordinates[s->mass[e].i], *j = &s->coordinates[s->mass[e].j];
        const int frame = s->nodes[i->node].frame;
        sorted[frame < 0 ? loose++ : first++] = s->mass[e];
        if (frame >= 0)
            add_entry(&s->frames[frame], i->slot, j->slot, s->mass[e].m);
    }
    olo_free(s->mass);
    s->mass = sorted;
    return true;
}
