import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { DAY_MS } from '../../../shared/durations.ts'
import { comparisonCode } from '../../../shared/encoding/crockford-code.ts'
import {
  AGENT_TOKEN_IDLE_MS,
  AGENT_TOKEN_LIFETIME_MS,
  USER_CODE_ATTEMPTS,
} from '../../../shared/limits.ts'
import { LABEL_MAX_CHARACTERS } from '../../../shared/wire/agent.ts'
import type { AuthorizationRequest } from '../../identity/agent-requests.ts'
import { decode32Bytes } from '../../identity/secret.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { authorizePath } from '../../identity/authorize-path.ts'
import { SCOPE_TEXTS } from './scope-texts.ts'
import { renderPage, signInPath } from '../layout/render-page.tsx'
import { Choice, Field } from '../../browser/components/form-fields.tsx'

type AuthorizePageProps = {
  challenge: string
  email: string
  csrf: string
  problem?: string
}

/**
 * Values to show again after a form was rejected. If the choice "read only" were lost, the person could grant more
 * access than intended.
 */
type RejectedChoices = { name?: string; access?: string }

const TITLE = 'Authorize an agent'

/**
 * Form for a link without a registered request. Shows a code that the person compares with the code shown by the
 * program. The person chooses the name and the access.
 */
export function plainLinkPage(
  c: Context<AppEnv>,
  props: AuthorizePageProps & RejectedChoices,
): Promise<Response> {
  const { challenge, email, problem, name = '', access = 'all' } = props
  const content = (
    <>
      <p>
        A program requests access to act as <strong>{email}</strong>.
      </p>
      <StartedYourself thing="link" />
      <p>Compare this code with the one shown by your program. If they differ, refuse:</p>
      <p class="code">{codeToCompare(challenge)}</p>
      <p>If you authorize it, it can access all triggers in your account and:</p>
      <ul>
        <li>view, create, change and delete them</li>
        <li>read their run history, including inputs and responses</li>
        <li>view and change your action library</li>
      </ul>
      <Lifetime />
      <DecisionForm facts={props}>
        <Field
          name="name"
          label="Name (optional)"
          hint="Shown in your list of access tokens."
          value={name}
          maxlength={2 * LABEL_MAX_CHARACTERS}
          autocomplete="off"
          error={problem}
        />
        <fieldset>
          <legend>Access</legend>
          <Choice name="access" value="all" checked={access !== 'read'}>
            All of the above
          </Choice>
          <Choice name="access" value="read" checked={access === 'read'}>
            Read only: view triggers and their runs
          </Choice>
        </fieldset>
      </DecisionForm>
      <OtherAccount challenge={challenge} />
    </>
  )
  return renderPage(c, { title: TITLE, status: problem === undefined ? 200 : 400 }, content)
}

/**
 * Form for a registered request. The program has already chosen the name and the scopes, and the person enters the code
 * that the program shows.
 * @param typedCode code that the person typed to find the request
 */
export function registeredRequestPage(
  c: Context<AppEnv>,
  { challenge, label, scopes, clientId }: AuthorizationRequest,
  props: AuthorizePageProps & { typedCode?: string },
): Promise<Response> {
  const { email, problem, typedCode } = props
  const isDevice = clientId !== null
  const content = (
    <>
      <p>
        A program requests access to act as <strong>{email}</strong>. It calls itself{' '}
        <strong>
          <bdi>{label}</bdi>
        </strong>
        . Any program can use any name.
      </p>
      <StartedYourself thing={isDevice ? 'link or the code' : 'link'} />
      <p>If you authorize it, it can access all triggers in your account and:</p>
      <ul>
        {scopes.map((scope) => (
          <li>{SCOPE_TEXTS[scope]}</li>
        ))}
      </ul>
      <Lifetime />
      <DecisionForm facts={props}>
        <CodeField
          hint={
            typedCode === undefined
              ? 'Shown by your program next to the link.'
              : 'Compare it with the code on your own device. If they differ, refuse.'
          }
          value={typedCode}
          problem={problem}
        />
      </DecisionForm>
      {isDevice ? (
        <p class="warn">
          Enter only a code that you see on your own device. If somebody told you the code, refuse.
          After {USER_CODE_ATTEMPTS} wrong codes the request is locked.
        </p>
      ) : (
        <>
          <p class="warn">
            If your program showed no code, refuse: somebody else registered this request. Then have
            your program generate a new token. After {USER_CODE_ATTEMPTS} wrong codes the request is
            locked.
          </p>
          <p class="note">
            Some programs also show a code to compare, which is different from the one to enter. For
            this link it is {codeToCompare(challenge)}.
          </p>
        </>
      )}
      <OtherAccount challenge={challenge} />
    </>
  )
  return renderPage(c, { title: TITLE, status: problem === undefined ? 200 : 400 }, content)
}

/** Warns of consent phishing. */
export function StartedYourself({ thing }: { thing: string }) {
  return (
    <p class="warn">
      <strong>Only continue if you just started this yourself.</strong> If somebody sent you the{' '}
      {thing}, refuse: authorizing it would give them access to your account.
    </p>
  )
}

export function CodeField({
  hint,
  value,
  problem,
}: {
  hint: string
  value?: string | undefined
  problem: string | undefined
}) {
  return (
    <Field
      name="user_code"
      label="Confirmation code"
      hint={hint}
      class="typed"
      required
      value={value}
      placeholder="XXXX-XXXX"
      autocomplete="off"
      autocapitalize="characters"
      spellcheck={false}
      error={problem}
    />
  )
}

function Lifetime() {
  return (
    <p>
      Access lasts {AGENT_TOKEN_LIFETIME_MS / DAY_MS} days, and ends earlier if the token is unused
      for {AGENT_TOKEN_IDLE_MS / DAY_MS} days.
    </p>
  )
}

/**
 * Pressing Enter in a field authorizes the program, because browsers submit a form with its first button.
 * `formnovalidate` allows the person to refuse with empty fields.
 */
function DecisionForm({ facts, children }: { facts: AuthorizePageProps; children?: Child }) {
  return (
    <form method="post" action="/agent/authorize" class="card">
      <input type="hidden" name="challenge" value={facts.challenge} />
      <input type="hidden" name="csrf" value={facts.csrf} />
      {children}
      <p class="actions">
        <button name="decision" value="authorize" class="armed">
          Authorize
        </button>
        <button name="decision" value="refuse" class="quiet" formnovalidate>
          Refuse
        </button>
      </p>
    </form>
  )
}

function OtherAccount({ challenge }: { challenge: string }) {
  return (
    <p class="note">
      Not your account?{' '}
      <a href={signInPath(authorizePath(challenge))}>Sign in with another account</a>
    </p>
  )
}

function codeToCompare(challenge: string): string {
  return comparisonCode(decode32Bytes(challenge)!)
}
