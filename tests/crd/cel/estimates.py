"""Rules of which a real kube-apiserver was asked whether they might cost too much."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def text(most: int | None = None, *rules: str, **more: Any) -> Json:
    return _ruled({"type": "string", **({} if most is None else {"maxLength": most}), **more}, rules)


def listed(items: Json, most: int | None = None, *rules: str) -> Json:
    return _ruled({"type": "array", "items": items, **({} if most is None else {"maxItems": most})}, rules)


def mapped(values: Json, most: int | None = None, *rules: str) -> Json:
    limit = {} if most is None else {"maxProperties": most}
    return _ruled({"type": "object", "additionalProperties": values, **limit}, rules)


def obj(properties: Json, *rules: str | Json, **more: Any) -> Json:
    return _ruled({"type": "object", "properties": properties, **more}, rules)


def number(*rules: str) -> Json:
    return _ruled({"type": "integer"}, rules)


def _ruled(schema: Json, rules: tuple[str | Json, ...]) -> Json:
    if rules:
        written = [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]
        schema["x-kubernetes-validations"] = written
    return schema


EITHER: Json = {"x-kubernetes-int-or-string": True}
ENUM = text(enum=["abc", "defghi"])
LABEL = "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')"

SCHEMAS: list[Json] = [
    obj({"l": listed(text())}, "self.l.all(x, x.size() > 1)"),
    obj({"l": listed(text())}, "self.l.all(x, x.contains('a'))"),
    obj({"l": listed(number())}, "self.l.all(x, self.l.all(y, x == y))"),
    obj({"l": listed(text(100, "self.matches('^[a-z]+$')"))}),
    obj({"l": listed(text(None, "self.size() > 1"))}),
    obj({"m": mapped(number("self > 1"))}),
    obj({"m": mapped(text(None, "self.contains('abcdefghijklmnopqrstuvwxyz')"))}),
    obj({"s": text(None, LABEL)}),
    obj({"s": text(63, LABEL)}),
    obj({"s": text(), "t": text()}, "self.s.contains(self.t)"),
    obj({"s": text(), "t": text()}, "self.s.replace('a', self.t) == self.t"),
    obj({"s": text(100), "t": text(100)}, "self.s.replace('', self.t).replace('a', self.t).contains('b')"),
    obj({"s": text()}, "self.s.split('').all(x, x != 'a')"),
    obj({"s": text()}, "self.s.split(',', 5).all(x, x != 'a')"),
    obj({"l": listed(text())}, "self.l.join(',').contains('x')"),
    obj({"l": listed(number(), 1000)}, "!has(self.l) || self.l.sort() == self.l"),
    obj({"l": listed(number(), 5000)}, "!has(self.l) || self.l.distinct().size() == self.l.size()"),
    obj({"l": listed(number(), 3000)}, "!has(self.l) || sets.contains(self.l, self.l)"),
    obj({"l": listed(text(50), 300)}, "self.l.all(x, self.l.exists_one(y, x == y))"),
    obj({"l": listed(text(50), 300)}, "self.l.map(x, x + 'a').all(y, y.startsWith('b'))"),
    obj({"l": listed(text(50), 300)}, "self.l.filter(x, x != 'a').map(x, x + x).join('').size() < 5"),
    obj({"l": listed(obj({"p": listed(obj({"q": number()}, "self.q > 1", "self.q < 5"), 100)}), 100)}),
    obj({"l": listed(obj({"p": listed(obj({"q": number()}, "self.q > 1 && self.q < 5"), 1000)}), 1000)}),
    obj({"l": listed(obj({"p": mapped(number("self > 1"), 2000)}), 2000)}),
    obj({"l": listed(text(2000, "self.startsWith('" + "a" * 90 + "') && self.contains('c')"), 2000)}),
    obj(
        {"s": text(format="date-time"), "d": text(format="duration"), "e": text(format="date")},
        "self.s + self.d > self.e",
    ),
    obj({"b": text(format="byte")}, "string(self.b).contains('a')"),
    obj({"e": ENUM, "l": listed(ENUM, 100)}, "self.l.all(x, x.contains(self.e))"),
    obj({"x": EITHER, "l": listed(EITHER)}, "self.l.all(y, y == self.x)"),
    obj({"x": {**EITHER, "maxLength": 5}}, "type(self.x) == int || self.x.matches('^[0-9]+%$')"),
    obj({"m": mapped(listed(text(10)))}, "self.m.all(k, self.m[k].all(v, v != k))"),
    obj({"l": listed(listed(text(10), 20), 20)}, "self.l.all(a, self.l.all(b, a.all(x, b.all(y, x != y))))"),
    obj(
        {"l": listed(text(10), 60)},
        "self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, a + b != c + d))))",
    ),
    obj({"s": text(100000)}, {"rule": "self.s != ''", "messageExpression": "self.s.replace('a', self.s)"}),
    obj({"s": text()}, {"rule": "self.s != ''", "messageExpression": "self.s.matches(self.s) ? 'a' : 'b'"}),
    obj(
        {"s": text(1000)},
        "quantity(self.s).isLessThan(quantity('1')) && ip(self.s).family() == 4",
        "cidr(self.s).containsIP(self.s) && url(self.s).getHost() == self.s && isSemver(self.s)",
        "format.dns1123Label().validate(self.s).hasValue() && ip.isCanonical(self.s)",
    ),
    obj({"l": listed(text(5000), 100)}, "self.l.all(x, format.uri().validate(x).hasValue())"),
    obj({"l": listed(text())}, "self.l.exists(x, x in self.l)", "self.l.size() < 5"),
    obj({"l": listed(text(64), 100)}, "self.l.transformList(i, v, v + string(i)).all(x, x != '')"),
    obj({"m": mapped(text(64), 100)}, "self.m.transformMap(k, v, k + v).all(k, v, k != v)"),
    obj({"m": mapped(text(64), 1000)}, "self.m.all(a, x, self.m.all(b, y, a == b || x != y))"),
    obj(
        {"l": listed(text(1000), 1000)}, "self.l.isSorted() && self.l.indexOf('a') < 5 && self.l.max() == 'a'"
    ),
    obj({"l": listed(number(), 10000)}, "lists.range(100000).all(i, self.l.all(x, x != i))"),
    obj({"l": listed(obj({"k": text(20)}), 100)}, "self.l.sortBy(x, x.k).map(x, x.k).join('') == ''"),
    obj({"l": listed(number(), 10)}, "!has(self.l) || self.l.slice(0, 5).reverse() == self.l.flatten()"),
    obj({"s": text(5000)}, "self.s.findAll('[a-z]+').all(x, x.lowerAscii().trim() == x)"),
    obj(
        {"a": text(500000), "b": text(500000)}, "self.a == self.b && self.a + self.b != '' && self.a < self.b"
    ),
    obj({"a": text(50000)}, "'%s %s'.format([self.a, self.a]).contains(strings.quote(self.a))"),
    obj({"o": obj({"p": listed(obj({"q": text()}), 50)})}, "self.o.p.all(x, x.q == oldSelf.o.p[0].q)"),
    obj({"l": listed(obj({"v": number()}), 50)}, "self.?l[?0].?v.orValue(1) > 0"),
    obj({"l": listed(obj({"v": text()}), 50)}, "self.l.map(x, x.?v.orValue('')).exists(y, y.contains('a'))"),
    obj({"l": listed(obj({"a": text(), "b": listed(text())}), 100)}, "self.l.all(x, self.l[0] == x)"),
    obj(
        {"l": listed(number(), 16)},
        " + ".join(f"(self.l.size() > {n} ? self.l[{n}] : 0)" for n in range(16)) + " < 128",
    ),
    *(
        obj({"namespace": text(63), "s": text(63)}, rule.replace("FIELD", field))
        for field in ("namespace", "__namespace__")
        for rule in (
            "self.FIELD == 'a'",
            "self.FIELD == self.s",
            "self.FIELD.size() < 5",
            "self.FIELD.startsWith('a')",
            "self.FIELD.contains(self.s)",
            "self.FIELD.matches('^a+$')",
            "self.FIELD.startsWith(self.s) && self.FIELD.endsWith(self.s)",
            "has(self.FIELD) && self.s in [self.FIELD]",
            "(self.FIELD + self.s).contains('a')",
        )
    ),
    *(
        obj({"if": listed(text(20), 10), "var": mapped(text(20), 10)}, rule)
        for rule in (
            "self.if.all(x, x == 'a')",
            "self.if.all(x, x.contains('a'))",
            "self.if.exists(x, self.if.exists(y, x == y))",
            "self.var.all(k, k != 'a')",
            "self.var.all(k, self.var[k] != 'a')",
            "self.var.a == 'a'",
            "'a' in self.if",
            "self.if.size() < 3",
            "self.if[0] == 'a'",
            "self.if == oldSelf.if",
            "self.var == oldSelf.var",
        )
    ),
]
