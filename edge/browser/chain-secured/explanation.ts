/** Explanation of a request before a wallet signs it: plain text, partly untrusted. */

/** Ordered pairs. Values may contain untrusted text. */
export type ExplanationFacts = readonly (readonly [name: string, value: string])[]

export type Explanation = {
  kind: 'transaction' | 'proof'
  /** Same text as the button that starts the operation, such as `Remove a group`. */
  title: string
  /** One or two sentences about the effect. */
  summary: string
  facts: ExplanationFacts
  /** Explains how to undo the operation, if that is possible. */
  undo: string
  /** True if irreversible. */
  isIrreversible: boolean
}

/** Callbacks for the stages of a wallet request. */
export type Consent = {
  /** Resolves if the person continues; rejects like a wallet otherwise (EIP-1193, code 4001). */
  confirm: (explanation: Explanation) => Promise<void>
  /** Called when an explained request is sent to the wallet. */
  requested: () => void
  /** Called when the wallet answered, refused or failed, or the person stopped waiting. */
  ended: () => void
  sent: (sent: {
    title: string
    /** Hash as reported by the wallet. Untrusted. */
    transaction: unknown
    /** True if sent after the person had stopped waiting. */
    isLate: boolean
  }) => void
  /** Resolves when the person stops waiting for a slow wallet; never if the wallet answers first. */
  untilStopped: (what: string, answered: Promise<unknown>) => Promise<void>
}
