/**
 * Wallet policies: forms, rules in words, and the simulator. Also contains the parser that the client library imports
 * on demand. The console loads this module from `/scripts/policies.js` when it first shows a policy, because the parser
 * is as large as the rest of the console. The module has its own copy of Preact.
 */
import '../verify/disable-zod-jit.ts'
import { render } from 'preact'
import css from './policies.css'
import { PolicyDraft, type PolicyDraftProps } from './policy-draft.tsx'
import { WalletPolicy, type WalletPolicyProps } from './wallet-policy.tsx'

export { parsePolicy } from '../../../shared/policies/policy.ts'
export { PolicyError } from '../../../shared/policies/policy-error.ts'

const styleSheet = new CSSStyleSheet()
styleSheet.replaceSync(css)

function adoptStyles(): void {
  if (!document.adoptedStyleSheets.includes(styleSheet))
    document.adoptedStyleSheets.push(styleSheet)
}

/** Shows the form for the policy of a new wallet. @returns a function that removes it */
export function showPolicyDraft(root: HTMLElement, props: PolicyDraftProps): () => void {
  adoptStyles()
  render(<PolicyDraft {...props} />, root)
  return () => render(null, root)
}

/** Shows a wallet's policy, with a simulator and a form to change it. @returns a function that removes it */
export function showWalletPolicy(root: HTMLElement, props: WalletPolicyProps): () => void {
  adoptStyles()
  render(<WalletPolicy {...props} />, root)
  return () => render(null, root)
}
