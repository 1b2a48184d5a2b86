import type { HostileProgram } from './program.ts'
import { arrays } from './programs/arrays.ts'
import { bigIntegers } from './programs/big-integers.ts'
import { buffers } from './programs/buffers.ts'
import { endings } from './programs/endings.ts'
import { ethers } from './programs/ethers.ts'
import { getters } from './programs/getters.ts'
import { hostFunctions } from './programs/host-functions.ts'
import { interfaces } from './programs/interfaces.ts'
import { json } from './programs/json.ts'
import { limits } from './programs/limits.ts'
import { loops } from './programs/loops.ts'
import { main } from './programs/main.ts'
import { markers } from './programs/markers.ts'
import { memory } from './programs/memory.ts'
import { microtasks } from './programs/microtasks.ts'
import { nativeLoops } from './programs/native-loops.ts'
import { promises } from './programs/promises.ts'
import { prototypes } from './programs/prototypes.ts'
import { proxies } from './programs/proxies.ts'
import { recursion } from './programs/recursion.ts'
import { regularExpressions } from './programs/regular-expressions.ts'
import { results } from './programs/results.ts'
import { sources } from './programs/sources.ts'
import { textAsCode } from './programs/text-as-code.ts'
import { textsAndDates } from './programs/texts-and-dates.ts'
import { thrown } from './programs/thrown.ts'
import { timers } from './programs/timers.ts'
import { views } from './programs/views.ts'
import { weakReferences } from './programs/weak-references.ts'

export const HOSTILE_CLASSES: Record<string, readonly HostileProgram[]> = {
  loops,
  microtasks,
  'regular expressions': regularExpressions,
  memory,
  recursion,
  BigInt: bigIntegers,
  JSON: json,
  prototypes,
  proxies,
  getters,
  promises,
  thrown,
  'results and logs': results,
  source: sources,
  'native loops': nativeLoops,
  buffers,
  views,
  'weak references': weakReferences,
  'text as code': textAsCode,
  main,
  timers,
  'host functions': hostFunctions,
  ethers,
  'web interfaces': interfaces,
  arrays,
  'texts and dates': textsAndDates,
  markers,
  endings,
  limits,
}
