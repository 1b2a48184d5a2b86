/** The Worker renders the forms disabled, and the script replaces them with working forms. */
import type { Child, FC } from 'hono/jsx'
import { NoWalletCard } from '../console/wallets/no-wallet-card.tsx'
import { Choice, Field, PublicNameField } from '../components/form-fields.tsx'

type ConnectCardProps = {
  busy?: string | undefined
  problem?: Child
  /**
   * Submit handlers. Absent if the script has not loaded. The forms are then disabled, so that browsers never submit a
   * key.
   */
  acts?: { connect: (form: Event) => void; create: (form: Event) => void }
  wallets?: Child
}

export const ConnectCard: FC<ConnectCardProps> = ({ busy, problem, acts, wallets }) => {
  const isDisabled = acts === undefined || busy !== undefined
  return (
    <div class="connect">
      <div role="alert" class="told-why">
        {problem}
      </div>
      <form id="connect" class="card" {...(acts && { onSubmit: acts.connect })}>
        <h2>Connect with a key</h2>
        <fieldset disabled={isDisabled}>
          <Field
            name="api_key"
            label="API key"
            hint="The account key or a usage key (44 characters)."
            type="password"
            required
            autocomplete="current-password"
            spellcheck={false}
          />
          <Choice type="checkbox" name="keep" value="yes">
            Keep it in this tab
            <span class="hint">
              The key is kept until the tab is closed. Otherwise it is discarded on reload.
            </span>
          </Choice>
          <button>Connect</button>
        </fieldset>
      </form>
      <form id="create" class="card" {...(acts && { onSubmit: acts.create })}>
        <h2>Create an account</h2>
        <fieldset disabled={isDisabled}>
          <PublicNameField name="account_name" />
          <button class="quiet">Create account</button>
        </fieldset>
      </form>
      {wallets ?? <NoWalletCard />}
      <p role="status" class="busy">
        {busy}
      </p>
    </div>
  )
}
