/** What stands above and below each page: where one is, who is signed in, and the way out. */
import type { FC } from 'hono/jsx'
import { csrfToken } from '../../identity/csrf.ts'
import type { Session } from '../../identity/sessions.ts'

/** The form token's subject of `POST /sign-out`. */
export const SIGN_OUT_SUBJECT = 'sign-out'

const SIGN_OUT_FORM = 'sign-out'

/** What this service is called on its pages. */
export const SERVICE_NAME = 'svc'

type Place = { href: string; text: string }

/** For everybody: the console asks for a key of its own, and documents for nobody. */
const OPEN_PLACES: Place[] = [
  { href: '/console', text: 'Console' },
  { href: '/docs', text: 'Docs' },
]
const PLACES: Place[] = [
  { href: '/triggers', text: 'Triggers' },
  { href: '/console', text: 'Console' },
  { href: '/agent/tokens', text: 'Programs' },
  { href: '/account', text: 'Account' },
  { href: '/docs', text: 'Docs' },
]

/** Whose page it is: nobody's who signed in, or one where that was not asked, and which says nothing of it. */
export type Visit = Session | undefined | 'unasked'

/** @param path of the page, to say which of the places it is */
export const Header: FC<{ path: string; session: Visit }> = ({ path, session }) => (
  <header class="site">
    <div>
      <a class="name" href="/">
        {SERVICE_NAME}
      </a>
      <nav aria-label="Places">
        <ul>
          {(session ? PLACES : OPEN_PLACES).map((place) => (
            <PlaceLink place={place} path={path} />
          ))}
          {session !== 'unasked' && (
            <li>{session ? <SignOutButton /> : <SignInLink path={path} />}</li>
          )}
        </ul>
      </nav>
    </div>
  </header>
)

/** Where one is, and no way to anywhere. */
export const NameAlone: FC = () => (
  <header class="site">
    <div>
      <span class="name">{SERVICE_NAME}</span>
    </div>
  </header>
)

const PlaceLink: FC<{ place: Place; path: string }> = ({ place: { href, text }, path }) => (
  <li>
    <a href={href} {...(isWithin(path, href) && { 'aria-current': 'page' as const })}>
      {text}
    </a>
  </li>
)

const isWithin = (path: string, place: string) => path === place || path.startsWith(`${place}/`)

const SignOutButton = () => (
  <button type="submit" form={SIGN_OUT_FORM}>
    Sign out
  </button>
)

const SignInLink: FC<{ path: string }> = ({ path }) => (
  <a href="/sign-in" {...(path === '/sign-in' && { 'aria-current': 'page' as const })}>
    Sign in
  </a>
)

/** `session` is whose form of signing out stands here; its button is in the header. */
export const Footer: FC<{ session: Visit }> = ({ session }) => (
  <footer>
    <div>
      <a href="/verify">Verify</a>
      <a href="/SKILL.md">For agents</a>
      <a href="/docs/api">API</a>
    </div>
    {typeof session === 'object' && <SignOutForm session={session} />}
  </footer>
)

/** After the page's own forms: a program that reads the first form of a page finds what the page is for. */
const SignOutForm = async ({ session }: { session: Session }) => (
  <form id={SIGN_OUT_FORM} method="post" action="/sign-out">
    <input type="hidden" name="csrf" value={await csrfToken(session.secret, SIGN_OUT_SUBJECT)} />
    <input type="hidden" name="where" value="here" />
  </form>
)
