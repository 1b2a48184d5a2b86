/** What stands above and below each page: where one is, who is signed in, and the way out. */
import type { FC } from 'hono/jsx'
import { csrfToken } from '../../identity/csrf.ts'
import type { Session } from '../../identity/sessions.ts'

/** The form token's subject of `POST /sign-out`. */
export const SIGN_OUT_SUBJECT = 'sign-out'

const SIGN_OUT_FORM = 'sign-out'

const PLACES = [
  { href: '/agent/tokens', text: 'Programs' },
  { href: '/account', text: 'Account' },
]

/** @param path of the page, to say which of the places it is */
export const Header: FC<{ path: string; session: Session | undefined }> = ({ path, session }) => (
  <header class="site">
    <div>
      <a class="name" href="/">
        Triggers
      </a>
      {session && <SignedIn path={path} />}
    </div>
  </header>
)

const SignedIn: FC<{ path: string }> = ({ path }) => (
  <nav aria-label="Your account">
    <ul>
      {PLACES.map(({ href, text }) => (
        <li>
          <a href={href} {...(path === href && { 'aria-current': 'page' as const })}>
            {text}
          </a>
        </li>
      ))}
      <li>
        <button type="submit" form={SIGN_OUT_FORM}>
          Sign out
        </button>
      </li>
    </ul>
  </nav>
)

/** `session` is whose form of signing out stands here; its button is in the header. */
export const Footer: FC<{ session: Session | undefined }> = ({ session }) => (
  <footer>
    <div>
      <a href="/verify">Verify</a>
      <a href="/SKILL.md">For agents</a>
      <a href="/openapi.json">API</a>
    </div>
    {session && <SignOutForm session={session} />}
  </footer>
)

/** After the page's own forms: a program that reads the first form of a page finds what the page is for. */
const SignOutForm = async ({ session }: { session: Session }) => (
  <form id={SIGN_OUT_FORM} method="post" action="/sign-out">
    <input type="hidden" name="csrf" value={await csrfToken(session.secret, SIGN_OUT_SUBJECT)} />
    <input type="hidden" name="where" value="here" />
  </form>
)
