"""Public schemas with the roles their attributes have, filled with made-up values.

A line is a name, its role (I identifier, Q quasi-identifier, S sensitive, O other) and how to make values.
Names are those of published tables and of usual exports; no value is. The vocabulary has learnt words from
the schemas in KNOWN. Those in UNSEEN were labelled afterwards, and it learns nothing from them.
"""

import random

from divulge.table.schema import Role

RECORDS = 300
ROLES = {"I": Role.IDENTIFIER, "Q": Role.QUASI_IDENTIFIER, "S": Role.SENSITIVE, "O": Role.OTHER}


def labelled(schema):
    """The roles by attribute, and a table of made-up columns."""
    lines = [line.split("|") for line in schema.strip().splitlines()]
    roles = {name.strip(): ROLES[role.strip()] for name, role, _ in lines}
    columns = {name.strip(): made_up(name, *how.split()) for name, _, how in lines}
    return roles, columns


def made_up(name, how, *numbers):
    rng = random.Random(name + how)
    make = MAKERS[how]
    return [make(rng, record, *map(int, numbers)) for record in range(RECORDS)]


def word(rng, length=6):
    return "".join(rng.choice("bdfglmnrst") + rng.choice("aeiou") for _ in range(length // 2))


def date(rng, first, last):
    return f"{rng.randint(first, last)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def letters(rng, length, alphabet="0123456789abcdef"):
    return "".join(rng.choice(alphabet) for _ in range(length))


MAKERS = {
    "run": lambda rng, record, first=1: str(first + record),
    "numbers": lambda rng, record, digits=8: str(10 ** (digits - 1) + record * 37 + rng.randint(0, 30)),
    "repeated": lambda rng, record, values=60: str(10000 + 7 * rng.randint(1, values)),
    "names": lambda rng, record: f"{word(rng).title()} {word(rng, 8).title()}",
    "name": lambda rng, record: random.Random(rng.randint(1, 90)).choice("ABCDEGKLM") + word(rng, 4),
    "texts": lambda rng, record: " ".join(word(rng) for _ in range(5)),
    "codes": lambda rng, record: f"{word(rng, 2).upper()}{rng.randint(10**6, 10**7)}",
    "email": lambda rng, record: f"{word(rng)}{record}@example.org",
    "phone": lambda rng, record: f"+49 30 {rng.randint(10**6, 10**7)}",
    "street": lambda rng, record: f"{rng.randint(1, 99)} {word(rng).title()} Street",
    "hash": lambda rng, record, values=RECORDS: letters(random.Random(rng.randint(1, values)), 32),
    "uuid": lambda rng, record: "-".join(letters(rng, length) for length in (8, 4, 4, 4, 12)),
    "ssn": lambda rng, record: f"{rng.randint(100, 600)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}",
    "kinds": lambda rng, record, kinds: f"kind {rng.randint(1, kinds)}",
    "whole": lambda rng, record, low, high: str(rng.randint(low, high)),
    "decimal": lambda rng, record, low=0, high=100: f"{rng.uniform(low, high):.4f}",
    "date": lambda rng, record, first=2019, last=2020: date(rng, first, last),
    "moment": lambda rng, record: (
        f"{date(rng, 2019, 2020)} {rng.randint(0, 23):02}:{rng.randint(0, 59):02}:00"
    ),
    "clock": lambda rng, record: f"{rng.randint(0, 23):02}:{rng.choice('0123')}0",
    "zip": lambda rng, record: f"0{rng.randint(1000, 1060)}",
    "sex": lambda rng, record: rng.choice("MF"),
    "flag": lambda rng, record: rng.choice("01"),
    "yes": lambda rng, record: rng.choice(["yes", "no"]),
    "same": lambda rng, record: "the same",
}

KNOWN = {
    "Adult (UCI)": """
        age|Q|whole 17 90
        workclass|Q|kinds 8
        fnlwgt|O|whole 12000 1400000
        education|Q|kinds 16
        education-num|Q|whole 1 16
        marital-status|Q|kinds 7
        occupation|Q|kinds 14
        relationship|Q|kinds 6
        race|Q|kinds 5
        sex|Q|sex
        capital-gain|S|whole 0 9000
        capital-loss|S|whole 0 4000
        hours-per-week|O|whole 1 99
        native-country|Q|kinds 40
        salary-class|S|kinds 2
    """,
    "Statlog German credit (UCI)": """
        checking_status|S|kinds 4
        duration|O|whole 4 72
        credit_history|S|kinds 5
        purpose|O|kinds 10
        credit_amount|S|whole 250 18000
        savings|S|kinds 5
        employment|Q|kinds 5
        installment_rate|O|whole 1 4
        personal_status_sex|Q|kinds 4
        other_debtors|O|kinds 3
        residence_since|Q|whole 1 4
        property|O|kinds 4
        age|Q|whole 19 75
        housing|Q|kinds 3
        existing_credits|S|whole 1 4
        job|Q|kinds 4
        num_dependents|Q|whole 1 2
        telephone|O|yes
        foreign_worker|Q|yes
        credit_risk|S|kinds 2
    """,
    "COMPAS (ProPublica)": """
        id|I|run
        name|I|names
        first|I|name
        last|I|names
        sex|Q|sex
        dob|Q|date 1940 1998
        age|Q|whole 18 80
        age_cat|Q|kinds 3
        race|Q|kinds 6
        juv_fel_count|S|whole 0 5
        decile_score|S|whole 1 10
        priors_count|S|whole 0 30
        days_b_screening_arrest|O|whole 0 200
        c_jail_in|S|moment
        c_jail_out|S|moment
        c_case_number|I|codes
        c_offense_date|Q|date
        c_charge_degree|S|kinds 2
        c_charge_desc|S|kinds 60
        is_recid|S|flag
        score_text|S|kinds 3
        v_score_text|S|kinds 3
        two_year_recid|S|flag
    """,
    "Titanic": """
        PassengerId|I|run
        Survived|S|flag
        Pclass|O|whole 1 3
        Name|I|names
        Sex|Q|sex
        Age|Q|whole 1 80
        SibSp|Q|whole 0 8
        Parch|Q|whole 0 6
        Ticket|I|codes
        Fare|O|decimal 0 500
        Cabin|Q|kinds 140
        Embarked|O|kinds 3
    """,
    "MIMIC-III patients": """
        row_id|I|run
        subject_id|I|run 10006
        gender|Q|sex
        dob|Q|date 1900 2000
        dod|S|date 2100 2190
        dod_hosp|S|date 2100 2190
        expire_flag|S|flag
    """,
    "MIMIC-III admissions": """
        row_id|I|run
        subject_id|I|repeated 120
        hadm_id|I|numbers 6
        admittime|Q|moment
        dischtime|Q|moment
        deathtime|Q|moment
        admission_type|O|kinds 4
        admission_location|Q|kinds 9
        discharge_location|Q|kinds 16
        insurance|O|kinds 5
        language|Q|kinds 70
        religion|S|kinds 20
        marital_status|Q|kinds 7
        ethnicity|Q|kinds 40
        diagnosis|S|kinds 90
        hospital_expire_flag|S|flag
    """,
    "ACS PUMS persons": """
        SERIALNO|I|numbers 13
        SPORDER|O|whole 1 9
        PUMA|Q|repeated 40
        ST|Q|whole 1 56
        AGEP|Q|whole 0 95
        SEX|Q|whole 1 2
        RAC1P|Q|whole 1 9
        HISP|Q|whole 1 24
        MAR|Q|whole 1 5
        SCHL|Q|whole 1 24
        OCCP|Q|repeated 200
        INDP|Q|repeated 150
        COW|Q|whole 1 9
        CIT|Q|whole 1 5
        POBP|Q|repeated 90
        PINCP|S|whole 0 200000
        WAGP|S|whole 0 150000
        HICOV|S|whole 1 2
        DIS|S|whole 1 2
        PWGTP|O|whole 1 300
    """,
    "NHANES demographics": """
        SEQN|I|run 93703
        RIAGENDR|Q|whole 1 2
        RIDAGEYR|Q|whole 0 80
        RIDRETH3|Q|whole 1 7
        DMDBORN4|Q|whole 1 2
        DMDEDUC2|Q|whole 1 5
        DMDMARTL|Q|whole 1 6
        RIDEXPRG|S|whole 1 3
        INDHHIN2|S|whole 1 15
        WTINT2YR|O|decimal 2000 200000
        SDMVPSU|O|whole 1 2
    """,
    "HMDA loan applications": """
        as_of_year|Q|whole 2016 2017
        respondent_id|O|repeated 90
        agency_code|O|whole 1 9
        loan_type|S|whole 1 4
        property_type|O|whole 1 3
        loan_purpose|S|whole 1 3
        loan_amount_000s|S|whole 10 900
        action_taken|O|whole 1 8
        msamd|Q|repeated 30
        state_code|Q|whole 1 56
        county_code|Q|whole 1 200
        census_tract_number|Q|repeated 80
        applicant_ethnicity|Q|whole 1 4
        applicant_race_1|Q|whole 1 7
        applicant_sex|Q|whole 1 4
        applicant_income_000s|S|whole 10 400
        denial_reason_1|S|whole 1 9
        rate_spread|O|decimal 1 9
        sequence_number|I|run
        population|O|whole 800 9000
    """,
    "Chicago crimes": """
        ID|I|numbers 8
        Case Number|I|codes
        Date|Q|moment
        Block|Q|kinds 140
        IUCR|O|repeated 60
        Primary Type|S|kinds 30
        Description|O|kinds 90
        Location Description|Q|kinds 50
        Arrest|S|yes
        Domestic|O|yes
        Beat|Q|repeated 90
        District|Q|whole 1 25
        Ward|Q|whole 1 50
        Community Area|Q|whole 1 77
        FBI Code|O|kinds 20
        X Coordinate|Q|whole 1100000 1200000
        Y Coordinate|Q|whole 1800000 1950000
        Year|Q|whole 2019 2020
        Updated On|O|moment
        Latitude|Q|decimal 41 42
        Longitude|Q|decimal 87 88
    """,
    "NYC taxi trips (2013)": """
        medallion|I|hash 100
        hack_license|I|hash 150
        vendor_id|O|kinds 2
        rate_code|O|whole 1 6
        pickup_datetime|Q|moment
        dropoff_datetime|Q|moment
        passenger_count|O|whole 1 6
        trip_time_in_secs|O|whole 60 4000
        trip_distance|O|decimal 0 30
        pickup_longitude|Q|decimal 73 74
        pickup_latitude|Q|decimal 40 41
        dropoff_longitude|Q|decimal 73 74
        dropoff_latitude|Q|decimal 40 41
        payment_type|O|kinds 4
        fare_amount|O|decimal 3 90
        tip_amount|O|decimal 0 20
    """,
    "a table of customers": """
        CustomerID|I|run 1001
        FirstName|I|name
        LastName|I|names
        EmailAddress|I|email
        PhoneNumber|I|phone
        Street|I|street
        City|Q|kinds 40
        ZipCode|Q|zip
        CountryCode|Q|kinds 5
        BirthDate|Q|date 1940 2004
        Gender|Q|sex
        CreditCardNumber|I|numbers 16
        LoyaltyPoints|O|whole 0 5000
        Segment|O|kinds 4
        CreatedAt|O|moment
        IsActive|O|flag
    """,
    "IBM HR attrition": """
        EmployeeNumber|I|run
        Age|Q|whole 18 60
        Attrition|S|yes
        BusinessTravel|O|kinds 3
        DailyRate|S|whole 100 1500
        Department|Q|kinds 3
        DistanceFromHome|O|whole 1 29
        Education|Q|whole 1 5
        EducationField|Q|kinds 6
        EnvironmentSatisfaction|O|whole 1 4
        Gender|Q|sex
        JobRole|Q|kinds 9
        JobLevel|Q|whole 1 5
        MaritalStatus|Q|kinds 3
        MonthlyIncome|S|whole 1000 20000
        OverTime|O|yes
        PerformanceRating|S|whole 1 4
        StandardHours|O|same
        TotalWorkingYears|O|whole 0 40
        Over18|O|same
    """,
    "Student performance (UCI)": """
        school|Q|kinds 2
        sex|Q|sex
        age|Q|whole 15 22
        address|Q|kinds 2
        famsize|Q|kinds 2
        Pstatus|Q|kinds 2
        Medu|Q|whole 0 4
        Fedu|Q|whole 0 4
        Mjob|Q|kinds 5
        Fjob|Q|kinds 5
        reason|O|kinds 4
        guardian|Q|kinds 3
        traveltime|O|whole 1 4
        failures|S|whole 0 3
        internet|O|yes
        Dalc|S|whole 1 5
        Walc|S|whole 1 5
        health|S|whole 1 5
        absences|S|whole 0 75
        G1|S|whole 0 20
        G3|S|whole 0 20
    """,
    "Synthea patients": """
        Id|I|uuid
        BIRTHDATE|Q|date 1920 2020
        DEATHDATE|S|date 1980 2020
        SSN|I|ssn
        DRIVERS|I|codes
        PASSPORT|I|codes
        PREFIX|Q|kinds 3
        FIRST|I|name
        LAST|I|names
        MAIDEN|I|names
        MARITAL|Q|kinds 4
        RACE|Q|kinds 6
        ETHNICITY|Q|kinds 2
        GENDER|Q|sex
        BIRTHPLACE|Q|kinds 120
        ADDRESS|I|street
        CITY|Q|kinds 90
        STATE|Q|same
        COUNTY|Q|kinds 14
        ZIP|Q|zip
        LAT|Q|decimal 41 43
        LON|Q|decimal 70 73
        HEALTHCARE_EXPENSES|S|decimal 1000 900000
        INCOME|S|whole 1000 900000
    """,
    "OMOP person": """
        person_id|I|run
        gender_concept_id|Q|repeated 2
        year_of_birth|Q|whole 1920 2015
        month_of_birth|Q|whole 1 12
        day_of_birth|Q|whole 1 31
        birth_datetime|Q|date 1920 2015
        race_concept_id|Q|repeated 6
        ethnicity_concept_id|Q|repeated 2
        location_id|Q|repeated 90
        provider_id|I|repeated 40
        care_site_id|O|repeated 20
        person_source_value|I|hash
        gender_source_value|Q|sex
    """,
    "Diabetes in 130 US hospitals (UCI)": """
        encounter_id|I|numbers 7
        patient_nbr|I|numbers 8
        race|Q|kinds 5
        gender|Q|sex
        age|Q|kinds 10
        weight|O|kinds 9
        admission_type_id|O|whole 1 8
        discharge_disposition_id|O|whole 1 28
        time_in_hospital|O|whole 1 14
        payer_code|O|kinds 17
        medical_specialty|O|kinds 40
        num_lab_procedures|O|whole 1 100
        num_medications|S|whole 1 60
        diag_1|S|kinds 90
        diag_2|S|kinds 90
        max_glu_serum|S|kinds 4
        A1Cresult|S|kinds 4
        insulin|S|kinds 4
        diabetesMed|S|yes
        readmitted|S|kinds 3
    """,
    "Medical appointment no-shows": """
        PatientId|I|numbers 12
        AppointmentID|I|numbers 7
        Gender|Q|sex
        ScheduledDay|Q|moment
        AppointmentDay|Q|date
        Age|Q|whole 0 100
        Neighbourhood|Q|kinds 80
        Scholarship|S|flag
        Hipertension|S|flag
        Diabetes|S|flag
        Alcoholism|S|flag
        Handcap|S|flag
        SMS_received|O|flag
        No-show|O|yes
    """,
    "Telco customer churn (IBM)": """
        customerID|I|codes
        gender|Q|sex
        SeniorCitizen|Q|flag
        Partner|Q|yes
        Dependents|Q|yes
        tenure|O|whole 0 72
        PhoneService|O|yes
        InternetService|O|kinds 3
        Contract|O|kinds 3
        PaperlessBilling|O|yes
        PaymentMethod|O|kinds 4
        MonthlyCharges|S|decimal 18 120
        TotalCharges|S|decimal 18 8000
        Churn|O|yes
    """,
    "LendingClub loans": """
        id|I|numbers 8
        member_id|I|numbers 8
        loan_amnt|S|whole 1000 40000
        term|O|kinds 2
        int_rate|O|decimal 5 30
        grade|S|kinds 7
        emp_title|Q|kinds 140
        emp_length|Q|kinds 11
        home_ownership|Q|kinds 4
        annual_inc|S|whole 9000 200000
        issue_d|Q|date
        loan_status|S|kinds 7
        purpose|O|kinds 12
        zip_code|Q|zip
        addr_state|Q|kinds 50
        dti|S|decimal 0 40
        delinq_2yrs|S|whole 0 9
        revol_bal|S|whole 0 90000
        url|I|texts
    """,
    "Bank marketing (UCI)": """
        age|Q|whole 18 95
        job|Q|kinds 12
        marital|Q|kinds 3
        education|Q|kinds 8
        default|S|yes
        balance|S|whole 0 50000
        housing|Q|yes
        loan|S|yes
        contact|O|kinds 2
        day|O|whole 1 31
        month|Q|kinds 12
        duration|O|whole 0 4000
        campaign|O|whole 1 50
        y|O|yes
    """,
    "Salesforce contacts": """
        Id|I|codes
        AccountId|I|codes
        Salutation|Q|kinds 4
        FirstName|I|name
        LastName|I|names
        Title|Q|kinds 60
        Email|I|email
        MobilePhone|I|phone
        MailingStreet|I|street
        MailingCity|Q|kinds 50
        MailingPostalCode|Q|zip
        MailingCountry|Q|kinds 9
        Birthdate|Q|date 1940 2000
        LeadSource|O|kinds 6
        OwnerId|I|codes
        CreatedDate|O|moment
        LastModifiedDate|O|moment
    """,
    "Framingham heart study": """
        male|Q|flag
        age|Q|whole 32 70
        education|Q|whole 1 4
        currentSmoker|S|flag
        cigsPerDay|S|whole 0 70
        BPMeds|S|flag
        prevalentStroke|S|flag
        prevalentHyp|S|flag
        diabetes|S|flag
        totChol|S|whole 107 600
        sysBP|S|decimal 83 295
        BMI|S|decimal 15 56
        heartRate|S|whole 44 143
        glucose|S|whole 40 394
        TenYearCHD|S|flag
    """,
    "eine Patientenliste": """
        Patientennummer|I|numbers 7
        Nachname|I|names
        Vorname|I|name
        Geburtsdatum|Q|date 1930 2020
        Geschlecht|Q|sex
        PLZ|Q|zip
        Wohnort|Q|kinds 60
        Straße|I|street
        Telefonnummer|I|phone
        Krankenkasse|O|kinds 9
        Versichertennummer|I|codes
        Staatsangehörigkeit|Q|kinds 12
        Familienstand|Q|kinds 4
        Beruf|Q|kinds 30
        Aufnahmedatum|Q|date
        Station|O|kinds 12
        Diagnose|S|kinds 80
        Medikation|S|kinds 60
    """,
    "un fichier du personnel": """
        matricule|I|numbers 6
        nom|I|names
        prénom|I|name
        date_naissance|Q|date 1955 2003
        sexe|Q|sex
        nationalité|Q|kinds 20
        situation_familiale|Q|kinds 4
        nb_enfants|Q|whole 0 6
        adresse|I|street
        code_postal|Q|zip
        ville|Q|kinds 60
        courriel|I|email
        poste|Q|kinds 40
        service|O|kinds 12
        date_embauche|Q|date 1990 2020
        salaire_brut|S|whole 1500 9000
        numéro_sécurité_sociale|I|numbers 15
        syndicat|S|yes
    """,
    "una lista de pacientes": """
        id_paciente|I|run
        nombre|I|name
        apellidos|I|names
        dni|I|codes
        fecha_nacimiento|Q|date 1930 2020
        sexo|Q|sex
        código_postal|Q|zip
        municipio|Q|kinds 60
        estado_civil|Q|kinds 5
        profesión|Q|kinds 40
        teléfono|I|phone
        correo|I|email
        fecha_ingreso|Q|date
        diagnóstico|S|kinds 90
        tratamiento|S|kinds 60
        alergias|S|kinds 20
    """,
    "un registro scolastico": """
        matricola|I|numbers 6
        cognome|I|names
        nome|I|name
        codice_fiscale|I|codes
        data_di_nascita|Q|date 2003 2012
        luogo_di_nascita|Q|kinds 60
        sesso|Q|sex
        cittadinanza|Q|kinds 20
        indirizzo|I|street
        CAP|Q|zip
        comune|Q|kinds 40
        classe|Q|kinds 15
        media_voti|S|decimal 4 10
        disabilità|S|yes
        religione|S|yes
    """,
}

UNSEEN = {
    "eICU patients": """
        patientunitstayid|I|run 141168
        patienthealthsystemstayid|I|run 128919
        uniquepid|I|codes
        gender|Q|sex
        age|Q|whole 16 90
        ethnicity|Q|kinds 6
        hospitalid|O|repeated 40
        wardid|Q|repeated 90
        apacheadmissiondx|S|kinds 100
        admissionheight|Q|decimal 140 200
        hospitaladmittime24|Q|clock
        hospitaladmitsource|O|kinds 10
        hospitaldischargelocation|Q|kinds 8
        hospitaldischargestatus|S|kinds 2
        unittype|O|kinds 8
        admissionweight|O|decimal 40 150
    """,
    "Stanford Open Policing stops": """
        raw_row_number|I|run
        date|Q|date
        time|Q|clock
        location|Q|kinds 140
        county_name|Q|kinds 60
        lat|Q|decimal 30 40
        lng|Q|decimal 80 90
        district|Q|kinds 20
        subject_age|Q|whole 15 90
        subject_race|Q|kinds 6
        subject_sex|Q|sex
        officer_id_hash|I|hash 80
        type|O|kinds 2
        violation|S|kinds 60
        arrest_made|S|yes
        citation_issued|S|yes
        outcome|O|kinds 3
        contraband_found|S|yes
        search_conducted|O|yes
        vehicle_make|O|kinds 30
    """,
    "Stroke prediction": """
        id|I|numbers 6
        gender|Q|kinds 3
        age|Q|whole 1 82
        hypertension|S|flag
        heart_disease|S|flag
        ever_married|Q|yes
        work_type|Q|kinds 5
        Residence_type|Q|kinds 2
        avg_glucose_level|S|decimal 55 270
        bmi|S|decimal 10 60
        smoking_status|S|kinds 4
        stroke|S|flag
    """,
    "Medical cost": """
        age|Q|whole 18 64
        sex|Q|sex
        bmi|S|decimal 15 54
        children|Q|whole 0 5
        smoker|S|yes
        region|Q|kinds 4
        charges|S|decimal 1100 63000
    """,
    "Heart disease, Cleveland (UCI)": """
        age|Q|whole 29 77
        sex|Q|flag
        cp|S|whole 1 4
        trestbps|S|whole 94 200
        chol|S|whole 126 564
        fbs|S|flag
        restecg|S|whole 0 2
        thalach|S|whole 71 202
        exang|S|flag
        oldpeak|S|decimal 0 6
        thal|S|whole 3 7
        num|S|whole 0 4
    """,
    "Stack Overflow survey": """
        ResponseId|I|run
        MainBranch|O|kinds 6
        Age|Q|kinds 8
        Employment|Q|kinds 12
        RemoteWork|O|kinds 3
        EdLevel|Q|kinds 8
        YearsCode|O|whole 0 50
        DevType|Q|kinds 30
        OrgSize|Q|kinds 10
        Country|Q|kinds 150
        Currency|Q|kinds 100
        CompTotal|S|whole 10000 900000
        ConvertedCompYearly|S|whole 1000 400000
        Gender|Q|kinds 6
        Ethnicity|Q|kinds 40
        Sexuality|S|kinds 6
        Accessibility|S|kinds 6
        MentalHealth|S|kinds 9
        JobSat|O|whole 0 10
    """,
    "a student information system": """
        StudentID|I|numbers 7
        StateStudentNumber|I|numbers 10
        LastFirst|I|names
        DOB|Q|date 2003 2015
        Grade_Level|Q|whole 0 12
        Home_Room|Q|kinds 30
        Homeroom_Teacher|Q|kinds 30
        EthnicCode|Q|kinds 7
        Guardian_Email|I|email
        Guardian_Phone|I|phone
        HomeStreet|I|street
        HomeCity|Q|kinds 12
        HomeZip|Q|zip
        LunchStatus|S|kinds 3
        SpecialEd|S|yes
        ELL|Q|yes
        GPA|S|decimal 0 4
        DaysAbsent|S|whole 0 40
        EntryDate|Q|date
    """,
    "an online shop's orders": """
        Order ID|I|codes
        Order Date|Q|date
        Customer Name|I|names
        Customer Email|I|email
        Shipping Address|I|street
        Shipping City|Q|kinds 90
        Shipping Zip|Q|zip
        Shipping Country|Q|kinds 8
        Phone|I|phone
        IP Address|I|codes
        Payment Reference|I|codes
        Product Name|O|kinds 60
        Quantity|O|whole 1 9
        Unit Price|O|decimal 1 90
        Total|O|decimal 1 900
        Currency|O|kinds 3
        Discount Code|O|kinds 5
    """,
    "a payroll": """
        EmpNo|I|run 7001
        Ename|I|names
        NI Number|I|codes
        Date Joined|Q|date 1990 2020
        Job Grade|Q|kinds 9
        Cost Centre|O|repeated 12
        Line Manager|Q|names
        Annual Salary|S|whole 18000 90000
        Tax Code|S|kinds 9
        Student Loan|S|yes
        Sort Code|O|codes
        Account Number|I|numbers 8
        Pension Scheme|S|kinds 4
        Sick Days|S|whole 0 30
        Home Postcode|Q|zip
    """,
    "UK road casualties": """
        accident_index|I|codes
        casualty_reference|O|whole 1 9
        sex_of_casualty|Q|whole 1 2
        age_of_casualty|Q|whole 0 99
        age_band_of_casualty|Q|whole 1 11
        casualty_severity|S|whole 1 3
        casualty_type|O|whole 0 20
        casualty_home_area_type|Q|whole 1 3
        lsoa_of_casualty|Q|kinds 140
        latitude|Q|decimal 50 58
        longitude|Q|decimal 0 2
        time|Q|clock
        day_of_week|O|whole 1 7
        local_authority_district|Q|whole 1 400
    """,
}
