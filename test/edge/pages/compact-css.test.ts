import { describe, expect, it } from 'vitest'
import { compactCss } from '../../../edge/pages/layout/compact-css.ts'

describe('compact CSS', () => {
  it('keeps the meaning of selectors, values and strings', () => {
    const css = `
.a, .b > .c { margin: 0 auto; content: "a:  b; { c" ; }
.list :is(th, td):hover { grid-area: 1 / 2; width: calc(1rem + 2px); }
@media (min-width: 60rem) {
  .d { color: red; }
}
`
    expect(compactCss(css)).toBe(
      '.a,.b>.c{margin:0 auto;content:"a:  b; { c" }.list :is(th,td):hover{grid-area:1 / 2;width:calc(1rem + 2px)}@media (min-width:60rem){.d{color:red}}',
    )
  })
})
