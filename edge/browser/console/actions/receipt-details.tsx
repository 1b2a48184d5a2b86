import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { formatFailure } from '../../format/describe-failure.ts'
import { FactList } from '../../components/elements.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { Connection } from '../connection.ts'
import { receiptFields } from '../../format/receipt-claims.ts'

type VerificationState =
  | { state: 'not yet' | 'in progress' | 'verified' }
  | { state: 'refused'; why: string }

/** A receipt is trustworthy only after its signature has been verified against the evidence. */
export const ReceiptDetails: FC<{ receipt: string; connection: Connection }> = ({
  receipt,
  connection,
}) => {
  const [verified, setVerified] = useState<VerificationState>({ state: 'not yet' })
  const verify = async () => {
    setVerified({ state: 'in progress' })
    try {
      await connection.client.verifyReceipt(receipt)
      setVerified({ state: 'verified' })
    } catch (failure) {
      setVerified({ state: 'refused', why: formatFailure(failure) })
    }
  }
  return (
    <details class="receipt">
      <summary>Receipt</summary>
      <FactList
        facts={receiptFields(receipt).map(([name, value]) => [
          name,
          <code>
            <UserText text={value} />
          </code>,
        ])}
      />
      <div class="actions">
        <CopyButton text={receipt} of="the receipt" />
        <button
          type="button"
          class="quiet small"
          disabled={verified.state === 'in progress'}
          onClick={() => void verify()}
        >
          Verify
        </button>
      </div>
      <p role="status">{VERIFICATION_TEXTS[verified.state]}</p>
      {verified.state === 'refused' && (
        <p class="problem">
          <UserText text={verified.why} />
        </p>
      )}
    </details>
  )
}

const VERIFICATION_TEXTS: Record<VerificationState['state'], string> = {
  'not yet': '',
  'in progress': 'Fetching the evidence of the machine…',
  verified: 'Verified: signed by the attested machine.',
  refused: 'Not verified.',
}
