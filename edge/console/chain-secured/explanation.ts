/** Explanation of a request, shown before a wallet signs it. It is plain text, and parts of it are untrusted. */

/** Ordered pairs of names and values. Values may contain untrusted text. */
export type Facts = readonly (readonly [name: string, value: string])[]

export type Explanation = {
  kind: 'transaction' | 'proof'
  /** Title of the operation, with the same text as the button that starts it, such as `Remove a group`. */
  title: string
  /** One or two sentences about the effect of the operation. */
  says: string
  facts: Facts
  /** Explains whether and how the operation can be undone. */
  undo: string
  /** True if the operation is irreversible. */
  forEver: boolean
}

/** Callbacks for the stages of a request to the wallet, from its explanation to the wallet's answer. */
export type Consent = {
  /** Shows the explanation. Resolves if the person continues; rejects like a wallet otherwise (EIP-1193, code 4001). */
  explained: (explanation: Explanation) => Promise<void>
  /** Called when an explained request is sent to the wallet. */
  asked: () => void
  /** Called when the wallet has answered, refused or failed, or when the person has stopped waiting for it. */
  ended: () => void
  /** Called when the wallet has sent an explained transaction. */
  sent: (sent: {
    title: string
    /** Transaction hash, as reported by the wallet. Untrusted. */
    transaction: unknown
    /** True if the wallet sent the transaction after the person had stopped waiting. */
    isLate: boolean
  }) => void
  /**
   * Resolves when the person stops waiting for a slow wallet. Never resolves if the wallet answers first.
   * @param answered promise that settles when the wallet answers
   */
  stopped: (what: string, answered: Promise<unknown>) => Promise<void>
}
