/**
 * The team behind every example: the blog of a bicycle workshop. One article goes through its whole life, so
 * a reader who puts the examples side by side sees the same ids come back.
 */
export const people = { editor: 'usr_01K94FSMRANNA', owner: 'usr_01K94FQC7MAR' }

export const chainCare = {
  generation: {
    id: 'gen_01KGENV9CHAIN',
    kind: 'article',
    title: 'Chain care for winter commuters',
    content_id: 'cnt_01KGENV8CHAIN',
  },
  firstVersion: 'ver_01KGEQ4BCHAIN1',
  secondVersion: 'ver_01KGHR6FCHAIN2',
  schedule: 'sch_01KGHT2PCHAIN',
  comment: 'cmt_01KGG0M8CHAIN',
  publication: {
    id: 'pub_01KGKC3DCHAIN',
    slug: 'winter-chain-care',
    destination_id: 'dst_01K94HT8BLOG',
    url: 'https://blog.spokewell.example/winter-chain-care',
  },
}

export const wheelTruing = {
  generation: {
    id: 'gen_01KGPQAYWHEEL',
    kind: 'article',
    title: 'How to true a wheel at home',
    content_id: 'cnt_01KGPQAXWHEEL',
  },
  version: 'ver_01KGPS5NWHEEL1',
  schedule: 'sch_01KGPT7AWHEEL',
}

export const tyrePressure = {
  generationId: 'gen_01KGRM4HTYRES',
  title: 'Tyre pressure, explained without a chart',
  schedule: 'sch_01KGRN5JTYRES',
}

export const springPlan = {
  id: 'pln_01KFD8EMSPRING',
  title: 'Spring: back on the bike',
  strategy_id: 'str_01KERTBVRIDERS',
}
