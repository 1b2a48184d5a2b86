/**
 * Explanations of requests, which are shown before a wallet signs them. The texts are plain text, and some of them are
 * untrusted.
 */

/** Facts to show, in order. Values may contain untrusted text. */
export type ExplanationFacts = readonly (readonly [name: string, value: string])[]

export type Explanation = {
  kind: 'transaction' | 'proof'
  /** Title of the operation, identical to the label of the button that starts it, such as `Remove a group`. */
  title: string
  summary: string
  facts: ExplanationFacts
  /** Explains how to undo the operation, or that it cannot be undone. */
  undo: string
  isIrreversible: boolean
}

export type Consent = {
  /**
   * Asks the person to confirm. Resolves if the person continues; otherwise, rejects like a wallet (EIP-1193, code
   * 4001).
   */
  confirm: (explanation: Explanation) => Promise<void>
  requested: () => void
  /** Called when the wallet has answered, refused or failed, or the person has stopped waiting. */
  ended: () => void
  sent: (sent: {
    title: string
    /** Transaction hash as reported by the wallet. Untrusted. */
    transaction: unknown
    /** True if the wallet sent the transaction after the person had stopped waiting. */
    isLate: boolean
  }) => void
  /** Resolves when the person stops waiting for a slow wallet. Never resolves if the wallet answers first. */
  untilStopped: (what: string, answered: Promise<unknown>) => Promise<void>
}
