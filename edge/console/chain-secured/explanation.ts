/** The explanation shown before a wallet is asked to sign. All of it is plain text, and some of it is untrusted. */

/** Ordered name-value pairs. Values may contain untrusted text. */
export type Facts = readonly (readonly [name: string, value: string])[]

export type Explanation = {
  kind: 'transaction' | 'proof'
  /** Same text as the button that starts the operation: `Remove a group`. */
  title: string
  /** One or two sentences about the effect. */
  says: string
  facts: Facts
  /** Explains whether and how the operation can be undone. */
  undo: string
  /** True if the operation is irreversible. */
  forEver: boolean
}

/** Callbacks for the stages of asking a person to sign, once the request has been explained. */
export type Consent = {
  /** Resolves if the person continues. Otherwise rejects the way a wallet does (EIP-1193, code 4001). */
  explained: (explanation: Explanation) => Promise<void>
  /** Called when the explained request is sent to the wallet. */
  asked: () => void
  /** Called when the wallet has answered, refused or failed, or the person has stopped waiting. */
  ended: () => void
  /** Called when the wallet has sent the explained transaction. */
  sent: (sent: {
    title: string
    /** The transaction hash reported by the wallet. */
    transaction: unknown
    /** True if the person had already stopped waiting. */
    isLate: boolean
  }) => void
  /**
   * Resolves when the person stops waiting for a slow wallet. Never resolves if the wallet answers first.
   * @param answered settles when the wallet answers
   */
  stopped: (what: string, answered: Promise<unknown>) => Promise<void>
}
