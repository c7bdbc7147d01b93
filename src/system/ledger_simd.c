/* Selects the rows and terms that are evaluated for four frames at once: rows of directors and of
 * joints, and terms with a constant force. */
#include "system/ledger_simd.h"

#include <math.h>

#include "base/memory.h"
#include "system/ledger_simd_private.h"
#include "system/system.h"

enum { FEW = LANES }; /* with fewer frames the vector kernels are not faster */

typedef struct builder {
    const olo_system *system;
    olo_ledger_simd *ledger_simd;
    bool *hinged;       /* [frames] the frame already has a hinge */
    int open[CARRIERS]; /* the four joints that are being filled */
} builder;

/* The group of four that contains a frame, and its lane l. */
static four *four_of(builder *x, int frame, int *l)
{
    *l = frame % LANES;
    return &x->ledger_simd->four[frame / LANES];
}

/* --- frames --- */

/* Lanes without a frame read the coordinates of the first frame, with zero mass and force. */
static void set_frame(builder *x, int at, int frame)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const olo_frame_mass *mass = &x->system->frames[frame];
    int l;
    four *b = four_of(x, at, &l);
    offsets *offset = &x->ledger_simd->offsets[at / LANES];
    offset->q[l] = offset->parent[l] = mass->q;
    if (at != frame)
        return;
    b->mass.m[l] = mass->m;
    for (int I = 0; I < 3; I++)
        b->mass.c[I][l] = mass->c[I];
    for (int k = 0; k < 6; k++)
        b->mass.E[k][l] = mass->E[3 * row[k] + column[k]];
}

/* The rows of the directors of a frame; false: the group has other rows. */
static bool set_directors(builder *x, const olo_group *group)
{
    int node = group->frame, l;
    if (node < 0 || x->system->nodes[node].frame < 0)
        return false;
    four *b = four_of(x, x->system->nodes[node].frame, &l);
    for (int i = 0; i < 6; i++)
        b->inner[i][l] = 1 / x->system->row_scale[group->first + i];
    return true;
}

/* --- constant forces --- */

/* A term that is linear in the coordinates of frames; false: another kind of term. */
static bool set_force(builder *x, const olo_term *term)
{
    const olo_system *s = x->system;
    bool linear = term->law->linear && term->role == OLO_ROLE_POTENTIAL && !term->invariants &&
                  term->forms == 1 && term->form[0].products == 0;
    for (int k = 0; linear && k < term->size; k++)
        linear = s->nodes[s->coordinates[term->index[k]].node].frame >= 0;
    for (int k = 0; linear && k < term->size; k++) {
        const olo_coordinate *c = &s->coordinates[term->index[k]];
        int l;
        four *b = four_of(x, s->nodes[c->node].frame, &l);
        b->force[c->slot].x[c->axis][l] += term->coefficient[0] * term->form[0].b[k];
    }
    if (linear)
        x->ledger_simd->constant += term->coefficient[0] * term->form[0].c;
    return linear;
}

/* --- hinges --- */

static void set_hinge(builder *x, const olo_group *group, const olo_articulation *joint,
                      const olo_joint_motions *hinge)
{
    const olo_system *s = x->system;
    int frame = s->nodes[joint->child].frame, l;
    four *b = four_of(x, frame, &l);
    for (int i = 0; i < 3; i++) {
        b->point[i][l] = hinge->child_point[i];
        b->parent_point[i][l] = hinge->parent_point[i];
        b->axis[i][l] = hinge->parent_axis[i];
        b->outer[i][l] = 1 / s->row_scale[group->first + i];
    }
    for (int i = 0; i < 2; i++) {
        b->eta[group->hinge[i]][l] = -s->constraints[group->first + 3 + i].form->c;
        b->outer[3 + group->hinge[i]][l] = 1 / s->row_scale[group->first + 3 + i];
    }
    x->ledger_simd->offsets[frame / LANES].parent[l] =
        joint->parent < 0 ? -1 : s->nodes[joint->parent].q;
    x->hinged[frame] = true;
}

/* The rows of a hinge between two frames, or a frame and the ground; false: other rows. */
static bool add_hinge(builder *x, const olo_group *group)
{
    const olo_system *s = x->system;
    const olo_articulation *joint = group->joint < 0 ? NULL : &s->joints[group->joint];
    olo_joint_motions hinge;
    if (!joint || group->hinge[0] < 0 || !joint->type->motions ||
        !joint->type->motions(joint, &hinge) || s->nodes[joint->child].frame < 0 ||
        x->hinged[s->nodes[joint->child].frame] ||
        (joint->parent >= 0 && !s->nodes[joint->parent].type->spatial))
        return false;
    set_hinge(x, group, joint, &hinge);
    return true;
}

/* --- other joints --- */

/* The four joints with this carrier that have room, and the lane. Lanes without a joint are between
 * a frame and itself. */
static joints *next_joint(builder *x, carrier axes, int q, int *l)
{
    olo_ledger_simd *ledger = x->ledger_simd;
    if (x->open[axes] < 0 || ledger->joints[x->open[axes]].count == LANES) {
        x->open[axes] = ledger->joint_fours++;
        joints *fresh = &ledger->joints[x->open[axes]];
        fresh->carrier = axes;
        for (int i = 0; i < LANES; i++)
            fresh->child[i] = fresh->parent[i] = q;
    }
    joints *to = &ledger->joints[x->open[axes]];
    *l = to->count++;
    return to;
}

/* The director of a node on whose coordinates a row depends, the others being constant in it. */
static int director_in_row(const olo_constraint *row, int q)
{
    for (int i = 0; i < row->size; i++)
        if (row->index[i] >= q + 3 && row->index[i] < q + 12)
            return (row->index[i] - q) / 3 - 1;
    return -1;
}

/* p.c of a vector of the parent and one of the child. */
static void set_dot(const olo_system *s, int row, const double p[3], const double c[3], int k,
                    joints *to, int l)
{
    for (int I = 0; I < 3; I++) {
        to->of_parent[k][I][l] = p[I];
        to->of_child[k][I][l] = c[I];
    }
    to->eta[k][l] = -s->constraints[row].form->c;
    to->per_size[3 + k][l] = 1 / s->row_scale[row];
    to->dots = k + 1 > to->dots ? k + 1 : to->dots;
}

static void set_dots(const olo_system *s, const olo_articulation *joint,
                     const olo_joint_motions *motions, int row, joints *to, int l)
{
    if (motions->rotation == OLO_ROTATION_CROSS)
        set_dot(s, row, motions->parent_axis, motions->axis, 0, to, l);
    for (int k = 0; motions->rotation == OLO_ROTATION_AXIS && k < 2; k++) {
        const int I = director_in_row(&s->constraints[row + k], s->nodes[joint->child].q);
        const double d[3] = {I == 0, I == 1, I == 2};
        set_dot(s, row + k, motions->parent_axis, d, k, to, l);
    }
    for (int k = 0; motions->rotation == OLO_ROTATION_NONE && k < 3; k++)
        set_dot(s, row + k, motions->parent_axes + 3 * k, motions->child_axes + 3 * ((k + 1) % 3),
                k, to, l);
}

/* The rows of a joint as elements/pair.c and universal.c write them, in space; false: other rows.
 */
static bool add_joint(builder *x, const olo_group *group)
{
    static const int dots[] = {[OLO_ROTATION_NONE] = 3,
                               [OLO_ROTATION_AXIS] = 2,
                               [OLO_ROTATION_CROSS] = 1,
                               [OLO_ROTATION_ALL] = 0};
    const olo_system *s = x->system;
    const olo_articulation *joint = group->joint < 0 ? NULL : &s->joints[group->joint];
    olo_joint_motions motions;
    if (s->planar || !joint || !joint->type->motions || !joint->type->motions(joint, &motions) ||
        s->nodes[joint->child].frame < 0 ||
        (joint->parent >= 0 && s->nodes[joint->parent].frame < 0) ||
        group->count != 3 - __builtin_popcount(motions.translations) + dots[motions.rotation])
        return false;
    int l, row = group->first;
    const carrier in = !motions.translations ? IN_SPACE : joint->reversed ? IN_CHILD : IN_PARENT;
    const double *axes = joint->reversed ? motions.child_axes : motions.parent_axes;
    joints *to = next_joint(x, in, s->nodes[joint->child].q, &l);
    to->child[l] = s->nodes[joint->child].q;
    to->parent[l] = joint->parent < 0 ? -1 : s->nodes[joint->parent].q;
    for (int k = 0; k < 3; k++) {
        to->point[k][l] = motions.child_point[k];
        to->parent_point[k][l] = motions.parent_point[k];
        for (int I = 0; I < 3; I++)
            to->axes[k][I][l] = axes[3 * k + I];
        if (!(motions.translations >> k & 1))
            to->per_size[k][l] = 1 / s->row_scale[row++];
    }
    set_dots(s, joint, &motions, row, to, l);
    return true;
}

/* --- all --- */

/* Fills all groups of four. False: a frame has no rows for its directors. */
static bool fill(builder *x)
{
    const olo_system *s = x->system;
    olo_ledger_simd *ledger_simd = x->ledger_simd;
    for (int k = 0; k < LANES * ledger_simd->fours; k++)
        set_frame(x, k, k < s->frame_count ? k : 0);
    for (int i = 0; i < s->term_count; i++)
        if (!set_force(x, &s->terms[i]))
            ledger_simd->terms[ledger_simd->term_count++] = i;
    for (int i = 0; i < s->group_count; i++)
        if (!set_directors(x, &s->groups[i]) && !add_hinge(x, &s->groups[i]) &&
            !add_joint(x, &s->groups[i]))
            ledger_simd->groups[ledger_simd->group_count++] = i;
    bool whole = true;
    for (int k = 0; k < s->frame_count; k++)
        whole = whole && ledger_simd->four[k / LANES].inner[0][k % LANES] > 0;
    return whole;
}

bool olo_ledger_simd_create(const olo_system *system, bool plain, olo_ledger_simd **out)
{
    *out = NULL;
    if (system->frame_count < FEW)
        return true;
    olo_ledger_simd *ledger_simd = olo_alloc(1, sizeof *ledger_simd);
    builder x = {.system = system, .ledger_simd = ledger_simd, .open = {-1, -1, -1}};
    if (!ledger_simd)
        return false;
    ledger_simd->fours = (system->frame_count + LANES - 1) / LANES;
    ledger_simd->kernels = !plain && olo_ledger_simd_kernels_wide && olo_lanes_are_wide()
                               ? olo_ledger_simd_kernels_wide
                               : &olo_ledger_simd_kernels_plain;
    ledger_simd->four = olo_alloc((size_t)ledger_simd->fours, sizeof *ledger_simd->four);
    ledger_simd->offsets = olo_alloc((size_t)ledger_simd->fours, sizeof *ledger_simd->offsets);
    ledger_simd->terms = olo_alloc((size_t)system->term_count, sizeof *ledger_simd->terms);
    ledger_simd->groups = olo_alloc((size_t)system->group_count, sizeof *ledger_simd->groups);
    x.hinged = olo_alloc((size_t)system->frame_count, sizeof *x.hinged);
    ledger_simd->joints =
        olo_alloc((size_t)(system->joint_count / LANES + CARRIERS), sizeof *ledger_simd->joints);
    bool ok = ledger_simd->four && ledger_simd->offsets && ledger_simd->terms &&
              ledger_simd->groups && ledger_simd->joints && x.hinged;
    *out = ok && fill(&x) ? ledger_simd : NULL;
    olo_free(x.hinged);
    if (!*out)
        olo_ledger_simd_free(ledger_simd);
    return ok;
}

void olo_ledger_simd_free(olo_ledger_simd *ledger_simd)
{
    if (!ledger_simd)
        return;
    olo_free(ledger_simd->four);
    olo_free(ledger_simd->offsets);
    olo_free(ledger_simd->joints);
    olo_free(ledger_simd->terms);
    olo_free(ledger_simd->groups);
    olo_free(ledger_simd);
}

bool olo_ledger_simd_sum(const olo_ledger_simd *ledger_simd, const double *q, const double *v,
                         olo_ledger_simd_sums *sums)
{
    ledger_simd->kernels->add_up(ledger_simd, q, v, sums);
    double all = sums->kinetic + sums->potential;
    for (int i = 0; i < 3; i++)
        all += sums->angular[i];
    return isfinite(all);
}

int olo_ledger_simd_terms(const olo_ledger_simd *ledger_simd, const int **terms)
{
    *terms = ledger_simd->terms;
    return ledger_simd->term_count;
}

int olo_ledger_simd_groups(const olo_ledger_simd *ledger_simd, const int **groups)
{
    *groups = ledger_simd->groups;
    return ledger_simd->group_count;
}
