import { useState } from 'preact/hooks'
import { TwoStepButton } from '../../components/two-step-button.tsx'
import { OneTimeSecret } from '../../components/one-time-secret.tsx'
import type { KeyConnection } from '../connection.ts'
import { apiKeyHash } from '../../../../shared/crypto/keccak.ts'
import type { ViewProps } from '../view.ts'

/** Rotation that is not active yet. The new key is sent only after the person confirms having stored it. */
type PendingRotation = { newKey: string; send: () => Promise<void>; giveUp: () => void }

export const KeyRotation = ({ connection, ...props }: ViewProps) =>
  connection.by === 'key' && connection.scope === 'account' ? (
    <KeyRotationCard connection={connection} {...props} />
  ) : null

type KeyRotationProps = Omit<ViewProps, 'connection'> & { connection: KeyConnection }

const KeyRotationCard = ({ connection, reconnect, perform }: KeyRotationProps) => {
  const [pending, setPending] = useState<PendingRotation | undefined>(undefined)

  const begin = () => {
    // Shows the new key before it is sent, so that the key is not lost if the response is lost.
    const keep = (newKey: string) =>
      new Promise<void>((stored, givenUp) => {
        const send = async () => {
          const done = await perform('Replace the account key', () => {
            stored()
            return rotation
          })
          setPending(undefined)
          if (done) reconnect({ ...connection, apiKey: newKey, keyHash: apiKeyHash(newKey) })
        }
        const giveUp = () => {
          givenUp(new Error('cancelled'))
          setPending(undefined)
        }
        setPending({ newKey, send, giveUp })
      })
    const rotation = connection.client.rotateAccountApiKey({ keep })
    // Ignores the rejection here, because `perform` reports failures, and cancelling is not a failure.
    rotation.catch(() => {})
  }

  return (
    <section class="card" aria-labelledby="rotation">
      <h3 id="rotation">Replace the account key</h3>
      {pending ? (
        <>
          <OneTimeSecret
            name="new account key"
            secret={pending.newKey}
            warning="Store the new key alongside the old one before you continue. Once the new key is active, the old key stops working. If the replacement fails, the old key stays valid."
            onStored={() => void pending.send()}
          />
          <p>
            <button type="button" class="quiet" onClick={pending.giveUp}>
              Keep old key
            </button>
          </p>
        </>
      ) : (
        <>
          <p>
            Replace the account key if somebody else may have seen it. Wallets, groups, usage keys
            and credits stay the same. Programs that use the account key stop working until you give
            them the new one; usage keys and triggers keep working.
          </p>
          <TwoStepButton
            text="Replace account key"
            label="Replace account key"
            consequence="A new key is generated in this browser and shown to you. The old key stays valid until you confirm that you stored the new one."
            confirm="Generate new key"
            onConfirm={begin}
          />
        </>
      )}
    </section>
  )
}
