/** @file
 *  Oloid: structure-preserving simulation of mechanical systems. Includes the whole public API.
 */
#ifndef OLOID_OLOID_H
#define OLOID_OLOID_H

#include "oloid/derivatives.h"
#include "oloid/elements.h"
#include "oloid/interval.h"
#include "oloid/model.h"
#include "oloid/report.h"
#include "oloid/results.h"
#include "oloid/simulate.h"
#include "oloid/statics.h"
#include "oloid/status.h"
#include "oloid/study.h"
#include "oloid/system.h"
#include "oloid/version.h"

#endif
