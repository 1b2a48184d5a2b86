import { useRef, useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { AccountOperations } from '../../../../shared/client/core/account.ts'
import { Choice, PublicNameField } from '../../components/form-fields.tsx'
import { readSubmittedForm } from '../submitted-form.ts'
import type { PerformChange } from '../view.ts'
import { LazyPart } from './lazy-part.tsx'

type Props = { client: AccountOperations; change: PerformChange }

const FORM = 'create-wallet'

export const CreateWallet: FC<Props> = ({ client, change }) => {
  const [withPolicy, setWithPolicy] = useState(false)
  const [isMissing, setMissing] = useState(false)
  /** Number of created wallets. Used as a key, to reset the form after each one. */
  const [created, setCreated] = useState(0)
  /** Policy of the draft, if it is valid. A ref, because the policies module renders independently of this form. */
  const policy = useRef<object | undefined>(undefined)
  const choose = (chosen: boolean) => {
    policy.current = undefined
    setMissing(false)
    setWithPolicy(chosen)
  }
  const create = async (event: Event) => {
    const { text } = readSubmittedForm(event)
    const { current } = policy
    setMissing(withPolicy && current === undefined)
    if (withPolicy && current === undefined) return
    const fields = {
      name: text('wallet_name'),
      ...(withPolicy && current !== undefined && { policy: current }),
    }
    if (!(await change('Create a wallet', () => client.createWallet(fields)))) return
    choose(false)
    setCreated((count) => count + 1)
  }
  return (
    <div class="card">
      <h3>Create a wallet</h3>
      <form key={created} id={FORM} onSubmit={(event) => void create(event)}>
        <PublicNameField name="wallet_name" optional />
        <fieldset>
          <legend>Policy</legend>
          <Choice name="policy" checked={!withPolicy} onChange={() => choose(false)}>
            Without a policy
            <span class="hint">
              Actions that a group permits can sign anything, and read the private key.
            </span>
          </Choice>
          <Choice name="policy" checked={withPolicy} onChange={() => choose(true)}>
            With a policy
            <span class="hint">
              Actions that a group permits can sign only what the policy allows. Nobody can read the
              private key.
            </span>
          </Choice>
        </fieldset>
      </form>
      {withPolicy && (
        <LazyPart
          what="policy form"
          load={() => import('/scripts/policies.js')}
          show={(module, root) =>
            module.showPolicyDraft(root, {
              onChange: (draft) => {
                policy.current = draft
                if (draft !== undefined) setMissing(false)
              },
            })
          }
        />
      )}
      <div role="alert">
        {isMissing && (
          <p class="problem">
            The wallet has no valid policy yet. Write a policy, and correct its problems.
          </p>
        )}
      </div>
      <button form={FORM}>Create wallet</button>
    </div>
  )
}
