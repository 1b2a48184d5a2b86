/** Mutants of `/info`. */
import { flip, type Mutant, ofInfo } from './change.ts'
import { sha256 } from '../good-evidence.ts'

export const COMPOSE: Mutant[] = [
  [
    'a space in the compose text',
    'compose hash',
    'not the SHA-256 of',
    ofInfo(({ tcb_info }) => ({ tcb_info: { app_compose: `${tcb_info.app_compose} ` } })),
  ],
  [
    'another compose hash',
    'compose hash',
    'not the SHA-256 of',
    ofInfo(({ compose_hash }) => ({ compose_hash: flip(compose_hash, 3) })),
  ],
  [
    'another text with its own hash',
    'compose hash',
    "is not the machine's compose-hash event",
    ofInfo(() => ({ compose_hash: sha256('{}'), tcb_info: { app_compose: '{}' } })),
  ],
  [
    'another app id',
    'compose hash',
    "is not the machine's app-id event",
    ofInfo(({ app_id }) => ({ app_id: flip(app_id, 3) })),
  ],
]
