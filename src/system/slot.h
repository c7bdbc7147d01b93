/* Slots: the arguments with respect to which pieces are differentiated over an interval (olo_slot),
 * their widths, and the structure of derivatives. */
#ifndef OLO_SYSTEM_SLOT_H
#define OLO_SYSTEM_SLOT_H

#include "oloid/interval.h"

static inline bool olo_slot_is_configuration(olo_slot a)
{
    return a == OLO_SLOT_Q0 || a == OLO_SLOT_Q1;
}

/* The number of coordinates of the piece for a configuration, else 1. */
static inline int olo_slot_width(olo_slot slot, int size)
{
    return olo_slot_is_configuration(slot) ? size : 1;
}

/* The derivatives of a piece that may differ from zero, and those of them that are not known. */
typedef struct olo_structure {
    unsigned first, second;                 /* bits of slots, bits of pairs */
    unsigned unknown_first, unknown_second; /* as above */
} olo_structure;
static inline unsigned olo_slot_bit(olo_slot a)
{
    return 1u << a;
}
/* The bit of a pair, equal for both orders. */
static inline unsigned olo_pair_bit(olo_slot a, olo_slot b)
{
    return a < b ? 1u << (a * OLO_SLOTS + b) : 1u << (b * OLO_SLOTS + a);
}

/* Bits of all pairs of a slot in `a` with a slot in `b`. */
static inline unsigned olo_pair_bits(unsigned a, unsigned b)
{
    unsigned bits = 0;
    for (int i = 0; i < OLO_SLOTS; i++)
        for (int j = 0; j < OLO_SLOTS; j++)
            if ((a >> i & 1u) && (b >> j & 1u))
                bits |= olo_pair_bit((olo_slot)i, (olo_slot)j);
    return bits;
}

enum { OLO_BOTH_ENDS = 1 << OLO_SLOT_Q0 | 1 << OLO_SLOT_Q1 }; /* bits of both configurations */

#endif
