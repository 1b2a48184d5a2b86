import { useState } from 'hono/jsx/dom'
import type { FC } from 'hono/jsx'
import { Copy } from '../../copy.tsx'
import { failureInWords } from '../../failure-in-words.ts'
import { Facts } from '../../parts.tsx'
import { UserText } from '../../user-text.tsx'
import type { Connection } from '../connection.ts'
import { receiptFields } from './receipt-fields.ts'

type ReceiptOfProps = { receipt: string; connection: Connection }
type Verified = { state: 'not yet' | 'under way' | 'verified' } | { state: 'refused'; why: string }

/** The receipt is trustworthy only once its signature is verified against the evidence. */
export const ReceiptOf: FC<ReceiptOfProps> = ({ receipt, connection }) => {
  const [verified, setVerified] = useState<Verified>({ state: 'not yet' })
  const verify = async () => {
    setVerified({ state: 'under way' })
    try {
      await connection.client.verifyReceipt(receipt)
      setVerified({ state: 'verified' })
    } catch (failure) {
      const { message, fix } = failureInWords(failure)
      setVerified({ state: 'refused', why: `${message} ${fix}` })
    }
  }
  return (
    <details class="receipt">
      <summary>Receipt</summary>
      <Facts
        facts={receiptFields(receipt).map(([name, value]) => [
          name,
          <code>
            <UserText text={value} />
          </code>,
        ])}
      />
      <div class="actions">
        <Copy text={receipt} of="the receipt" />
        <button
          type="button"
          class="quiet small"
          disabled={verified.state === 'under way'}
          onClick={() => void verify()}
        >
          Verify
        </button>
      </div>
      <p role="status">{WORDS[verified.state]}</p>
      {verified.state === 'refused' && (
        <p class="problem">
          <UserText text={verified.why} />
        </p>
      )}
    </details>
  )
}

const WORDS: Record<Verified['state'], string> = {
  'not yet': '',
  'under way': 'Fetching the evidence of the machine…',
  verified: 'Verified: signed by the attested machine.',
  refused: 'Not verified.',
}
