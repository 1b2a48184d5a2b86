/** Replaces the connected account key with a new one. */
import { useState } from 'hono/jsx/dom'
import { Armed } from '../../armed.tsx'
import { ShownOnce } from '../../shown-once.tsx'
import type { KeyConnection } from '../connection.ts'
import { keyHashOf } from '../open.ts'
import type { ViewProps } from '../view.ts'

/** A new key, which is sent only after the person confirms having stored it. */
type Pending = { newKey: string; send: () => Promise<void>; giveUp: () => void }

export const Rotation = ({ connection, ...props }: ViewProps) =>
  connection.by === 'key' && connection.scope === 'account' ? (
    <RotationOfKey connection={connection} {...props} />
  ) : null

type RotationProps = Omit<ViewProps, 'connection'> & { connection: KeyConnection }

const RotationOfKey = ({ connection, reconnect, perform }: RotationProps) => {
  const [pending, setPending] = useState<Pending | undefined>(undefined)

  const begin = () => {
    // The client passes the key to `keep` before sending it, so that a lost response cannot lose the only copy.
    const keep = (newKey: string) =>
      new Promise<void>((stored, givenUp) => {
        const send = async () => {
          const done = await perform('Replace the account key', () => {
            stored()
            return rotation
          })
          setPending(undefined)
          if (done) reconnect({ ...connection, apiKey: newKey, keyHash: keyHashOf(newKey) })
        }
        const giveUp = () => {
          givenUp(new Error('given up'))
          setPending(undefined)
        }
        setPending({ newKey, send, giveUp })
      })
    const rotation = connection.client.rotateAccountApiKey({ keep })
    // Failures are reported where the promise is awaited. Giving up is not a failure.
    rotation.catch(() => {})
  }

  return (
    <section class="card" aria-labelledby="rotation">
      <h3 id="rotation">Replace the account key</h3>
      {pending ? (
        <>
          <ShownOnce
            name="new account key"
            secret={pending.newKey}
            warning="Store it beside the old one before you go on. The old key is worth nothing as soon as this one counts; if replacing fails, the old one still counts."
            onStored={() => void pending.send()}
          />
          <p>
            <button type="button" class="quiet" onClick={pending.giveUp}>
              Keep the old key
            </button>
          </p>
        </>
      ) : (
        <>
          <p>
            For when somebody else may have seen it. Wallets, groups, usage keys and credit stay.
            Every program that has the account key is refused until it is given the new one; usage
            keys and triggers go on working.
          </p>
          <Armed
            text="Replace the account key"
            label="Replace the account key"
            consequence="A new key is made in this browser and shown to you. The old one counts until you say that you have stored it."
            confirm="Make a new key"
            onConfirm={begin}
          />
        </>
      )}
    </section>
  )
}
