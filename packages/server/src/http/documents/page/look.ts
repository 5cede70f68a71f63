/** A post horn: one coil, a bell to the right, a mouthpiece to the left. */
export const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 40" role="img" aria-label="Posthorn">
<g fill="none" stroke="#e0a100" stroke-width="4" stroke-linecap="round" stroke-linejoin="round">
<circle cx="22" cy="18" r="11"/>
<path d="M5 29h26c5 0 8-3 13-8v16c-5-5-8-8-13-8"/>
<path d="M3 26v6"/>
</g>
</svg>
`

export const STYLE = `.swagger-ui .topbar {
  background: #17202b;
  padding: 10px 0;
}
.swagger-ui .topbar .download-url-wrapper .select-label {
  color: #f3f5f7;
}
.swagger-ui .topbar .download-url-wrapper .select-label select {
  border: 1px solid #8b96a3;
}
.swagger-ui .info {
  margin: 30px 0;
}
.swagger-ui .info .title {
  font-size: 30px;
}
.swagger-ui .info .title small {
  background: #5b6672;
}
.swagger-ui .info .title small.version-stamp {
  background: #8a6400;
}
.swagger-ui .info .markdown {
  max-width: 80ch;
}
.swagger-ui .info .markdown table td {
  padding: 2px 12px 2px 0;
}
`
