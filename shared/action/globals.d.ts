/** Globals of the sandbox (docs/actions.md#what-there-is). */
import './web.js'
import * as v5 from './ethers.js'
import type { SvcActions } from './svc-actions.js'

declare global {
  /** ethers 5.8. Its providers use `fetch`. */
  export import ethers = v5
  /** Access to keys. The object is frozen. */
  var Svc: { readonly Actions: Readonly<SvcActions> }
}
