/** What a person is told before a wallet is asked to sign: all of it plain text, some of it other people's. */

/** Names and values, in order; values may hold what somebody else has written. */
export type Facts = readonly (readonly [name: string, value: string])[]

export type Explanation = {
  kind: 'transaction' | 'proof'
  /** As the button that leads to it: `Remove a group`. */
  title: string
  /** What it does, in a sentence or two. */
  says: string
  facts: Facts
  /** Whether it can be undone, and how. */
  undo: string
  /** There is no way back. */
  forEver: boolean
}

/** How a transaction or a proof is asked for, once it is explained. */
export type Consent = {
  /** Resolves where the person goes on. Rejects as a wallet's owner would (EIP-1193, 4001) where they do not. */
  explained: (explanation: Explanation) => Promise<void>
  /** The wallet is asked for what was explained. */
  asked: () => void
  /** It has answered, refused or failed, or is waited for no longer. */
  ended: () => void
  /** It has sent what was explained. */
  sent: (sent: {
    title: string
    /** Its hash, as the wallet says. */
    transaction: unknown
    /** It was waited for no longer by then. */
    isLate: boolean
  }) => void
  /**
   * A wallet takes its time. Resolves where nobody wants to wait for it any more; never, where it answers first.
   * @param answered settles then
   */
  stopped: (what: string, answered: Promise<unknown>) => Promise<void>
}
