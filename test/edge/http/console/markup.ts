import { expect } from 'vitest'
import type { Page } from './person.ts'

/** What a stranger may write where a page shows it. */
export const MARKUPS = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  "' onfocus=alert(1) autofocus='",
  'javascript:alert(1)',
]
/** No element, attribute or link of a page is what a stranger wrote. */
export function isInert({ text }: Page): void {
  expect(text).not.toMatch(
    /<img|<script>alert|onerror=alert\(1\)>|'? onfocus=alert\(1\) autofocus='/,
  )
  expect(text).not.toMatch(/(href|src|action|formaction)="\s*javascript:/i)
}
