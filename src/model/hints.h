/* Hints for words that other programs use and model files do not. */
#ifndef OLO_MODEL_HINTS_H
#define OLO_MODEL_HINTS_H

/* How to write what a key of another program means, in the map called `noun` ("joint", "run",
 * "model" for sections); NULL: unknown. */
const char *olo_hint_key(const char *noun, const char *key);

/* If a text is a number with a unit, as in "1 kg", how to write it; otherwise NULL. */
const char *olo_hint_number(const char *text);

#endif
