/* The public declarations as a text, which the build generates. */
#ifndef OLO_BASE_DECLARATIONS_H
#define OLO_BASE_DECLARATIONS_H

extern const char olo_declarations_text[];

#endif
