import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { AccountOperations, HeldWalletPolicy } from '../../../shared/client/core/account.ts'
import { type Policy, parsePolicy } from '../../../shared/policies/policy.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { FactList, Time } from '../components/elements.tsx'
import { TwoStepButton } from '../components/two-step-button.tsx'
import { Loaded, useLoaded } from '../console/loaded.tsx'
import type { Perform } from '../console/view.ts'
import { ChangePolicy } from './change-policy.tsx'
import { ChangeWords } from './change-words.tsx'
import { describeChange } from './describe-change.ts'
import { PolicyWords } from './policy-words.tsx'
import { Simulator } from './simulator.tsx'
import { SumBars } from './sum-bars.tsx'
import { withEmptySums } from './sum-rows.ts'

export type WalletPolicyProps = {
  client: Pick<AccountOperations, 'getWalletPolicy' | 'setWalletPolicy' | 'simulateSignature'>
  wallet: { pkp_id: string; wallet_address: string }
  perform: Perform
  /** Called after a change of the policy. */
  onChanged: () => void
}

type Held = { answer: HeldWalletPolicy; policy: Policy; pending: Policy | undefined }

export const WalletPolicy: FC<WalletPolicyProps> = ({ client, wallet, perform, onChanged }) => {
  const { pkp_id, wallet_address } = wallet
  const held = useLoaded(async (): Promise<Held> => {
    const answer = await client.getWalletPolicy({ pkp_id })
    return {
      answer,
      policy: parsePolicy(JSON.stringify(answer.policy)),
      pending: answer.pending ? parsePolicy(JSON.stringify(answer.pending.policy)) : undefined,
    }
  })
  const [draft, setDraft] = useState<Policy | undefined>(undefined)
  /** @param shown the policy on the page. If another policy holds by now, nothing is changed */
  const set = async (what: string, policy: Policy, shown: Policy) => {
    const done = await perform(what, () =>
      client.setWalletPolicy({ pkp_id, policy: policy.document, replaces: shown.hash }),
    )
    if (!done) return
    setDraft(undefined)
    await held.reload()
    onChanged()
  }
  const prefix = `policy-${wallet_address.slice(2, 10)}`
  return (
    <div class="wallet-policy">
      <Loaded of={held} what="policy">
        {({ answer, policy, pending }) => (
          <>
            <PolicyFacts answer={answer} />
            <h4>Rules</h4>
            <PolicyWords policy={policy} />
            {policy.document.sums && (
              <>
                <h4>Sums</h4>
                <SumBars
                  document={policy.document}
                  sums={withEmptySums(policy.document, answer.sums)}
                />
              </>
            )}
            {pending && (
              <PendingChange
                {...{ answer, policy, pending }}
                cancel={() => void set('Cancel the pending change', policy, policy)}
              />
            )}
            <details>
              <summary>Simulate a signature</summary>
              <Simulator
                prefix={prefix}
                choices={[
                  { title: 'The policy that holds', policy },
                  ...(draft ? [{ title: 'The draft in “Change policy”', policy: draft }] : []),
                ]}
                simulate={({ request, action, policy: decider }) =>
                  client.simulateSignature({
                    pkp_id,
                    request,
                    ...(action !== undefined && { action_ipfs_cid: action }),
                    ...(decider.hash !== policy.hash && { policy: decider.document }),
                  })
                }
              />
            </details>
            {policy.document.immutable ? (
              <p class="note">The policy can never be changed.</p>
            ) : (
              <details>
                <summary>Change policy</summary>
                <ChangePolicy
                  // Resets the form after a change of the policy.
                  key={`${policy.hash} ${pending?.hash}`}
                  {...{ prefix, policy, pending }}
                  onDraft={setDraft}
                  onConfirm={(changed) => void set('Change the policy', changed, policy)}
                />
              </details>
            )}
          </>
        )}
      </Loaded>
    </div>
  )
}

const PolicyFacts: FC<{ answer: HeldWalletPolicy }> = ({ answer: { policy_hash, set_at } }) => (
  <FactList
    facts={[
      [
        'Policy hash',
        <>
          <code>{policy_hash}</code> <CopyButton text={policy_hash} of="the policy hash" />
        </>,
      ],
      ['Set', <Time at={Date.parse(set_at)} />],
    ]}
  />
)

type PendingProps = {
  answer: HeldWalletPolicy
  policy: Policy
  pending: Policy
  cancel: () => void
}

const PendingChange: FC<PendingProps> = ({ answer, policy, pending, cancel }) => {
  const change = describeChange(policy, pending)
  return (
    <section class="pending" aria-label="Pending change">
      <h4>Pending change</h4>
      <p>
        Takes effect at <Time at={Date.parse(answer.pending!.effective_at)} />. Until then, the
        policy above holds.
      </p>
      {change && <ChangeWords change={change} />}
      <TwoStepButton
        text="Cancel pending change"
        label="Cancel pending change"
        consequence="The policy that holds now stays in effect."
        confirm="Cancel change"
        onConfirm={cancel}
      />
    </section>
  )
}
