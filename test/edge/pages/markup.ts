import { expect } from 'vitest'
import type { Page } from './person.ts'

/** Markup that an attacker may put into any text that a page shows. */
export const MARKUPS = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  "' onfocus=alert(1) autofocus='",
  'javascript:alert(1)',
]
/** Expects that no element, attribute or link of a page comes from the attacker's text. */
export function isInert({ text }: Page): void {
  expect(text).not.toMatch(
    /<img|<script>alert|onerror=alert\(1\)>|'? onfocus=alert\(1\) autofocus='/,
  )
  expect(text).not.toMatch(/(href|src|action|formaction)="\s*javascript:/i)
}
