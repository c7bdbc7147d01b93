/* Positions: vectors in space that are affine in q, x(q) = x0 + sum_k weight_k q_k. */
#include "system/position.h"

#include "linalg/vec3.h"

olo_position olo_position_fixed(const double x[3])
{
    olo_position p;
    p.count = 0;
    vec3_copy(x, p.x0);
    return p;
}

olo_position olo_position_slot(int slot)
{
    olo_position p;
    p.count = 1;
    p.slot[0] = slot;
    p.weight[0] = 1.0;
    vec3_set(0, 0, 0, p.x0);
    return p;
}

olo_position olo_position_on_frame(int frame, const double at[3])
{
    olo_position p = olo_position_slot(frame);
    for (int i = 0; i < 3; i++)
        if (at[i] != 0) {
            p.slot[p.count] = frame + 3 * (i + 1);
            p.weight[p.count++] = at[i];
        }
    return p;
}

olo_position olo_position_along_frame(int frame, const double X[3])
{
    static const double origin[3] = {0, 0, 0};
    olo_position p = olo_position_fixed(origin);
    for (int i = 0; i < 3; i++)
        if (X[i] != 0) {
            p.slot[p.count] = frame + 3 * (i + 1);
            p.weight[p.count++] = X[i];
        }
    return p;
}

bool olo_position_add(olo_position *a, double s, const olo_position *b)
{
    vec3_add(s, b->x0, a->x0);
    for (int k = 0; k < b->count; k++) {
        int at = 0;
        while (at < a->count && a->slot[at] != b->slot[k])
            at++;
        if (at == a->count) {
            if (a->count == OLO_POSITION_SLOTS_MAX)
                return false;
            a->slot[a->count] = b->slot[k];
            a->weight[a->count++] = 0;
        }
        a->weight[at] += s * b->weight[k];
        if (a->weight[at] == 0) {
            a->count--;
            a->slot[at] = a->slot[a->count];
            a->weight[at] = a->weight[a->count];
        }
    }
    return true;
}

void olo_position_linear(const olo_position *p, const double *v, double x[3])
{
    x[0] = x[1] = x[2] = 0;
    for (int k = 0; k < p->count; k++)
        vec3_add(p->weight[k], v + p->slot[k], x);
}

void olo_position_value(const olo_position *p, const double *q, double x[3])
{
    olo_position_linear(p, q, x);
    vec3_add(1.0, p->x0, x);
}
