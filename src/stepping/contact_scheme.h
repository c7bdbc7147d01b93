/* Contacts outside of runs. */
#ifndef OLO_STEPPING_CONTACT_SCHEME_H
#define OLO_STEPPING_CONTACT_SCHEME_H

#include "system/system.h"

/* Fails if the system has contacts, for `what` that cannot handle them. */
olo_status olo_contacts_refuse(const olo_system *system, const char *what, olo_error *error);

#endif
