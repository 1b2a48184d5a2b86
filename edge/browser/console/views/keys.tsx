import { useState } from 'preact/hooks'
import { OneTimeSecret } from '../../components/one-time-secret.tsx'
import { NewKeyForm } from '../keys/new-key-form.tsx'
import { KeyRow } from '../keys/key-row.tsx'
import { KeyRotation } from '../keys/key-rotation.tsx'
import { priceOfChange } from '../connection.ts'
import { Loaded, useLoaded } from '../loaded.tsx'
import { performAndReload } from '../perform.ts'
import type { View } from '../view.ts'

export const KeysView: View = (props) => {
  const { connection, perform } = props
  const { client } = connection
  const [made, setMade] = useState<string | undefined>(undefined)
  const loaded = useLoaded(async () => {
    const [keys, groups] = await Promise.all([
      client.listApiKeys().all(),
      client.listGroups().all(),
    ])
    return { keys, groups }
  })
  const change = performAndReload(perform, loaded.reload)
  if (made !== undefined)
    return (
      <div class="card">
        <h3>Usage key created</h3>
        <OneTimeSecret
          name="usage key"
          secret={made}
          warning="Anyone with this key can use its permissions at the expense of this account. It is shown only once and not stored anywhere."
          onStored={() => setMade(undefined)}
        />
      </div>
    )
  return (
    <>
      <p>
        Create usage keys for programs and triggers. A usage key has only the permissions you
        select, and cannot spend more than its cap. It cannot change the permissions of any key,
        including its own.
      </p>
      <Loaded of={loaded} what="usage keys" after={<KeyRotation {...props} />}>
        {({ keys, groups }) => (
          <>
            {keys.length === 0 ? (
              <p class="card">
                No usage keys yet. Create one below for {priceOfChange(connection)}.
              </p>
            ) : (
              <ul class="rows">
                {keys.map((key) => (
                  <KeyRow key={key.api_key_hash} {...{ groups, client, change }} usageKey={key} />
                ))}
              </ul>
            )}
            <NewKeyForm
              groups={groups}
              create={async (fields) => {
                const answer = await perform('Create a usage key', () =>
                  client.addUsageApiKey(fields),
                )
                if (!answer) return
                setMade(answer.usage_api_key)
                await loaded.reload()
              }}
            />
          </>
        )}
      </Loaded>
    </>
  )
}
