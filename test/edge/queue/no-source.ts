import { SourceGate } from '../../../edge/sources/source-gate.ts'
import { env } from '../app.ts'

/** Gate of triggers that have no source. */
export const noSource = new SourceGate({
  macKey: () => env.ID_MAC_KEY,
  now: Date.now,
  rejections: { add: () => {} },
})
